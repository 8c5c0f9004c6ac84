// Contract, section 2: Idempotency-Key.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { mapping } from "../support/mapped.ts";
import { forEachStore, startTestGateway, type StoreKind } from "../support/gateway.ts";

const agent = { message: "m", wakeMode: "next-heartbeat", deliver: false };
const wake = { text: "t", mode: "next-heartbeat" };
const key = (value: string) => [`Idempotency-Key: ${value}`];

async function startCounting(t: TestContext, store: StoreKind) {
  const gateway = await startTestGateway(t, {}, { store });
  const counts = async () => [(await gateway.runs()).length, (await gateway.events("wake")).length];
  /** How many runs and events of wakes the work has added. */
  const added = async (work: () => Promise<void>) => {
    const [runs = 0, events = 0] = await counts();
    await work();
    const [runsNow = 0, eventsNow = 0] = await counts();
    return { runs: runsNow - runs, events: eventsNow - events };
  };
  return { gateway, added };
}

forEachStore("idempotency: one request after another", async (t, store) => {
  const { gateway, added } = await startCounting(t, store);

  await t.test(
    "the same key to the same hook gives the first response again and does nothing twice",
    async () => {
      const more = await added(async () => {
        for (const [hook, body] of [
          ["agent", agent],
          ["wake", wake],
        ] as const) {
          const first = await gateway.post(hook, body, key("same"));
          const second = await gateway.post(hook, body, key("same"));
          assert.equal(first.headers["idempotent-replayed"], undefined);
          assert.equal(second.headers["idempotent-replayed"], "true");
          assert.deepEqual([second.status, second.json], [first.status, first.json]);
        }
      });
      assert.deepEqual(more, { runs: 1, events: 1 });
    },
  );

  await t.test("another key, or none, is another request", async () => {
    const more = await added(async () => {
      for (const headers of [key("a"), key("A"), [], []])
        assert.equal((await gateway.post("wake", wake, headers)).headers["idempotent-replayed"], undefined);
    });
    assert.deepEqual(more, { runs: 0, events: 4 });
  });

  await t.test("keys count per hook", async () => {
    const body = JSON.stringify({ ...agent, ...wake });
    assert.equal((await gateway.post("wake", body, key("shared"))).status, 200);
    const response = await gateway.post("agent", body, key("shared"));
    assert.deepEqual([response.status, response.headers["idempotent-replayed"]], [202, undefined]);
  });

  await t.test("the same key with other body bytes is 422", async () => {
    const more = await added(async () => {
      await gateway.post("wake", '{"text":"t"}', key("bytes"));
      for (const body of ['{"text":"other"}', '{"text": "t"}']) {
        const { status, json } = await gateway.post("wake", body, key("bytes"));
        assert.deepEqual([status, json["code"]], [422, "idempotency-mismatch"]);
      }
    });
    assert.deepEqual(more, { runs: 0, events: 1 });
  });

  await t.test("a key is kept over a restart", async () => {
    const more = await added(async () => {
      const first = await gateway.post("agent", agent, key("lasting"));
      await gateway.restart();
      const second = await gateway.post("agent", agent, key("lasting"));
      assert.deepEqual([second.headers["idempotent-replayed"], second.json], ["true", first.json]);
    });
    assert.deepEqual(more, { runs: 1, events: 0 });
  });
});

forEachStore("idempotency: concurrent requests", async (t, store) => {
  const { gateway, added } = await startCounting(t, store);

  await t.test("concurrent requests with one key give one run", async () => {
    const more = await added(async () => {
      const posts = Array.from({ length: 12 }, () => gateway.post("agent", agent, key("twins")));
      const responses = await Promise.all(posts);
      assert.deepEqual([...new Set(responses.map(({ status }) => status))], [202]);
      assert.equal(new Set(responses.map(({ json }) => json["runId"])).size, 1);
      assert.equal(responses.filter(({ headers }) => headers["idempotent-replayed"] === undefined).length, 1);
    });
    assert.deepEqual(more, { runs: 1, events: 0 });
  });

  await t.test(
    "concurrent requests with one key and other bytes: one is accepted, the others are 422",
    async () => {
      const more = await added(async () => {
        const responses = await Promise.all(
          ["a", "b", "c", "d"].map((message) => gateway.post("agent", { ...agent, message }, key("rivals"))),
        );
        const statuses = responses.map(({ status }) => status);
        assert.deepEqual(
          statuses.toSorted((left, right) => left - right),
          [202, 422, 422, 422],
        );
      });
      assert.deepEqual(more, { runs: 1, events: 0 });
    },
  );
});

test("a malformed key is 400: 1 to 255 visible characters, one header", async (t) => {
  const gateway = await startTestGateway(t);
  const malformed = [
    key(""),
    key("two words"),
    key("x".repeat(256)),
    key("café"),
    [...key("a"), ...key("a")],
  ];
  for (const headers of malformed) {
    const { status, json } = await gateway.post("wake", wake, headers);
    assert.deepEqual([status, json["code"]], [400, "invalid-idempotency-key"], headers.join());
  }
  assert.deepEqual(await gateway.events(), []);
  assert.equal((await gateway.post("wake", wake, key("x".repeat(255)))).status, 200);
  assert.equal((await gateway.post("wake", wake, key('!"#~'))).status, 200);
});

test("only 2xx responses are kept: after a refusal the key can be used again", async (t) => {
  const gateway = await startTestGateway(t);
  assert.equal((await gateway.post("agent", { ...agent, channel: "pigeon" }, key("k"))).status, 400);
  assert.equal((await gateway.post("agent", {}, key("k"))).status, 400);
  const { status, headers } = await gateway.post("agent", agent, key("k"));
  assert.deepEqual([status, headers["idempotent-replayed"]], [202, undefined]);
});

test("a replay needs the token like any request", async (t) => {
  const gateway = await startTestGateway(t);
  await gateway.post("wake", wake, key("k"));
  const { status } = await gateway.send({
    target: "/hooks/wake",
    headers: key("k"),
    body: JSON.stringify(wake),
  });
  assert.equal(status, 401);
});

/** A transform that does what a header says: a caller's second attempt can have other headers. */
const bySteps = `export default function ({ headers }) {
  if (headers["x-step"] === "fails") throw new Error("broken");
  if (headers["x-step"] === "nothing") return null;
  return headers["x-step"] === "refused" ? { channel: "pigeon" } : undefined;
}`;
const step = (value: string) => `X-Step: ${value}`;

forEachStore("a repeated key is looked at before the mapping and its transform run", async (t, store) => {
  const mappings = [mapping("steps", { transform: { module: "steps.mjs" } })];
  const files = { "transforms/steps.mjs": bySteps };
  const gateway = await startTestGateway(t, { hooks: { mappings } }, { store, files });
  const post = (name: string, does: string) => gateway.post("steps", {}, [...key(name), step(does)]);

  await t.test("whatever the transform would do now, the response is the first one", async () => {
    const first = await post("a", "accepts");
    assert.equal(first.status, 202);
    for (const does of ["nothing", "fails", "refused", "accepts"]) {
      const { status, json, headers } = await post("a", does);
      assert.deepEqual([status, json, headers["idempotent-replayed"]], [202, first.json, "true"], does);
    }
    const other = await gateway.post("steps", "no JSON", key("a"));
    assert.deepEqual([other.status, other.json["code"]], [422, "idempotency-mismatch"]);
    const outcomes = (await gateway.inspect.listRequests({ limit: 10 })).map(({ outcome }) => outcome);
    assert.ok(!outcomes.includes("failed") && !outcomes.includes("skipped"), "it did not run");
  });

  await t.test("what was not stored leaves the key free", async () => {
    for (const [does, expected] of [
      ["fails", 500],
      ["refused", 400],
      ["accepts", 202],
      ["fails", 202],
    ] as const)
      assert.equal((await post("b", does)).status, expected, does);
  });

  await t.test("a 204 is kept like any 2xx, and is recorded once", async () => {
    const skipped = async () =>
      (await gateway.inspect.listRequests({ limit: 10 })).filter(({ outcome }) => outcome === "skipped")
        .length;
    assert.equal((await post("c", "nothing")).status, 204);
    for (const does of ["accepts", "fails", "nothing"]) {
      const { status, headers, text } = await post("c", does);
      assert.deepEqual([status, headers["idempotent-replayed"], text], [204, "true", ""], does);
    }
    assert.equal(await skipped(), 1);
    const other = await gateway.post("steps", "no JSON", key("c"));
    assert.deepEqual([other.status, other.json["code"]], [422, "idempotency-mismatch"]);
  });
});
