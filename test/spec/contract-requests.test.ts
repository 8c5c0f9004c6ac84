// Contract, section 8: every request with a right token or a good proof is kept, in the transaction of what it leads to.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RequestOutcome, RequestRecord } from "../../src/core/request.ts";
import { createFakeImap, fakeAccount, fakeMail } from "../fakes/imap.ts";
import { forEachStore, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { mapping, moduleOf } from "../support/mapped.ts";
import { githubSecret, sendGithub } from "../support/senders.ts";

const key = (value: string): string[] => [`Idempotency-Key: ${value}`];

const all = async ({ inspect }: TestGateway): Promise<RequestRecord[]> =>
  (await inspect.listRequests({ limit: null })).toReversed();

/** The newest request; a refused one is written beside its response. */
const newest = (gateway: TestGateway, outcome: RequestOutcome, count: number): Promise<RequestRecord> =>
  gateway.waitFor(`request ${count}, ${outcome}`, async () => {
    const list = await all(gateway);
    return list.length >= count && list.at(-1);
  });

const bodyOf = async ({ inspect }: TestGateway, { id }: RequestRecord): Promise<string | null> => {
  const body = await inspect.requestBody(id);
  return body && Buffer.from(body).toString("utf8");
};

const endOf = ({ outcome, runIds, eventIds }: RequestRecord) => ({ outcome, runIds, eventIds });

forEachStore("requests of a caller with a token", async (t, store) => {
  const gateway = await startTestGateway(
    t,
    {
      hooks: {
        transformsDir: "transforms",
        mappings: [
          mapping("ci", { match: { path: "ci", payload: { state: ["failed", "error"] } } }),
          mapping("ci-any", {
            match: { path: "ci", headers: { "x-kind": "any" }, payload: { state: "ok" } },
          }),
          mapping("steps", { transform: { module: "steps.mjs" } }),
        ],
      },
    },
    {
      store,
      files: { "transforms/steps.mjs": moduleOf("if (input.payload.n === 0) return null; throw 1;") },
    },
  );
  let count = 0;
  const kept = (outcome: RequestOutcome) => newest(gateway, outcome, ++count);

  await t.test("accepted: how it arrived, what it led to, and its body by its id", async () => {
    const sent = '{"message":"Look","deliver":false}';
    const { json } = await gateway.send({
      target: "/hooks/agent?team=blue",
      headers: [
        `Authorization: Bearer ${gateway.token}`,
        "Content-Type: application/json",
        "Cookie: session=cookie-secret",
        "X-Team: blue",
        "x-team: green",
      ],
      body: sent,
    });
    const request = await kept("accepted");
    assert.deepEqual(
      { ...request, seq: 0, id: "", createdAt: 0 },
      {
        id: "",
        seq: 0,
        createdAt: 0,
        hook: "agent",
        origin: "http",
        credential: null,
        arrival: {
          method: "POST",
          target: "/hooks/agent?team=blue",
          address: "127.0.0.1",
          bytes: sent.length,
          headers: {
            host: "test",
            "content-length": String(sent.length),
            "content-type": "application/json",
            "x-team": "blue, green",
          },
          event: null,
          delivery: null,
        },
        outcome: "accepted",
        reason: null,
        mapping: null,
        decision: { mappings: [], policy: { allowed: true, reason: null } },
        runIds: [json["runId"]],
        eventIds: [],
        replayOf: null,
        hasBody: true,
      },
    );
    assert.equal(await bodyOf(gateway, request), sent);
    assert.equal((await gateway.inspect.findRun(String(json["runId"])))?.requestId, request.id);
  });

  await t.test("a wake names its event, and the event its request", async () => {
    const { json } = await gateway.post("wake", { text: "hello", mode: "next-heartbeat" });
    const request = await kept("accepted");
    assert.deepEqual(endOf(request), { outcome: "accepted", runIds: [], eventIds: [json["eventId"]] });
    const event = await gateway.inspect.findEvent(String(json["eventId"]));
    assert.equal(event?.requestId, request.id);
  });

  await t.test(
    "mappings: each that was tried, each filter with the value it met, and the taker",
    async () => {
      await gateway.post("ci", { state: "ok" }, ["X-Kind: any"]);
      const { mapping: taker, decision } = await kept("accepted");
      assert.equal(taker, "ci-any");
      assert.deepEqual(decision, {
        mappings: [
          {
            id: "ci",
            takes: false,
            reason: null,
            filters: [{ field: "payload.state", wanted: '"failed" or "error"', met: '"ok"', holds: false }],
          },
          {
            id: "ci-any",
            takes: true,
            reason: null,
            filters: [
              { field: "header x-kind", wanted: '"any"', met: '"any"', holds: true },
              { field: "payload.state", wanted: '"ok"', met: '"ok"', holds: true },
            ],
          },
        ],
        policy: { allowed: true, reason: null },
      });
    },
  );

  await t.test("skipped: no filter held, with the filters behind the first one that refused", async () => {
    assert.equal((await gateway.post("ci", { state: "x".repeat(500) })).status, 204);
    const { outcome, mapping: taker, decision, reason } = await kept("skipped");
    assert.deepEqual([outcome, taker, decision?.policy], ["skipped", null, null]);
    assert.match(
      reason!,
      /^no mapping took it: ci: payload.state was "x+…", wanted "failed" or "error"; ci-any/,
    );
    const met = decision!.mappings.map(({ filters }) => filters.map((filter) => filter.met));
    const cut = `"${"x".repeat(199)}…"`;
    assert.deepEqual(met, [[cut], ["missing", cut]]);
  });

  await t.test("repeated: what the first request led to, on both ways to look up a key", async () => {
    const agent = { message: "once", deliver: false };
    const first = await gateway.post("agent", agent, key("a"));
    const accepted = await kept("accepted");
    assert.equal((await gateway.post("agent", agent, key("a"))).status, 202);
    assert.deepEqual(endOf(await kept("repeated")), { ...endOf(accepted), outcome: "repeated" });
    assert.deepEqual(accepted.runIds, [first.json["runId"]]);
    assert.equal((await gateway.post("agent", { ...agent, message: "other" }, key("a"))).status, 422);
    const mismatch = await kept("refused");
    assert.match(mismatch.reason!, /^idempotency-mismatch: /);
    assert.equal(await bodyOf(gateway, mismatch), JSON.stringify({ ...agent, message: "other" }));

    assert.equal((await gateway.post("steps", { n: 0 }, key("b"))).status, 204);
    assert.equal((await kept("skipped")).outcome, "skipped");
    assert.equal((await gateway.post("steps", { n: 0 }, key("b"))).status, 204);
    assert.equal((await kept("repeated")).outcome, "repeated");
    assert.equal((await gateway.post("steps", { n: 1 }, key("b"))).status, 422);
    assert.match((await kept("refused")).reason!, /^idempotency-mismatch: /);
  });

  await t.test("failed: a transform that breaks", async () => {
    assert.equal((await gateway.post("steps", { n: 1 })).status, 500);
    const { outcome, mapping: taker, reason } = await kept("failed");
    assert.deepEqual([outcome, taker], ["failed", "steps"]);
    assert.match(reason!, /^steps: it threw/);
  });

  await t.test("refused: 400, 404, 413, 415 and 422 with a right token, each with its code", async () => {
    const json = ["Content-Type: application/json"];
    const cases: [string, unknown, string[], number, RegExp, boolean][] = [
      ["agent", "{broken", json, 400, /^invalid-json: /, true],
      ["agent", { message: 7 }, json, 400, /^invalid-payload: message must/, true],
      ["agent", { message: "m", channel: "pigeon" }, json, 400, /^channel-unknown: /, true],
      ["agent", { message: "m" }, [...json, "Idempotency-Key: two words"], 400, /^invalid-idempo/, true],
      ["nobody", { secret: "payload" }, json, 404, /^unknown-hook: /, false],
      ["agent", "x".repeat(262_145), json, 413, /^body-too-large: /, false],
      ["agent", "text", ["Content-Type: image/png"], 415, /^unsupported-media-type: /, false],
    ];
    for (const [hook, body, headers, status, reason, hasBody] of cases) {
      assert.equal((await gateway.post(hook, body, headers)).status, status, hook);
      const request = await kept("refused");
      assert.deepEqual([request.outcome, request.hook, request.hasBody], ["refused", hook, hasBody]);
      assert.match(request.reason!, reason);
      assert.equal(
        request.arrival?.bytes,
        Buffer.byteLength(typeof body === "string" ? body : JSON.stringify(body)),
      );
    }
    const [policy] = (await all(gateway)).filter(({ reason }) => reason?.startsWith("channel-unknown"));
    assert.deepEqual(policy?.decision?.policy, { allowed: false, reason: policy?.reason });
  });

  await t.test("a wrong token leaves nothing, and no secret is in any row", async () => {
    const body = JSON.stringify({ message: "m" });
    const wrong = "Authorization: Bearer wrong-token-0123456789-abcdef";
    assert.equal((await gateway.send({ target: "/hooks/agent", headers: [wrong], body })).status, 401);
    assert.equal((await gateway.send({ target: "/hooks/agent?token=t", headers: [], body })).status, 400);
    await gateway.post("wake", { text: "the last one" });
    assert.equal((await kept("accepted")).hook, "wake");
    const list = await all(gateway);
    assert.equal(list.length, count);
    const stored = JSON.stringify(list);
    for (const secret of [gateway.token, "wrong-token", "cookie-secret"])
      assert.ok(!stored.includes(secret), secret);
  });
});

forEachStore("requests of a sender", async (t, store) => {
  const gateway = await startTestGateway(
    t,
    {
      hooks: {
        senders: {
          github: { kind: "github", secret: githubSecret },
          form: { kind: "token", secret: "a-query-secret-0123456789" },
        },
        mappings: [
          mapping("github", { match: { path: "github", event: "issues.opened" } }),
          mapping("form", { forEach: "list" }),
        ],
      },
    },
    { store },
  );
  const opened = { body: '{"action":"opened"}', id: "d-1", event: "issues" };

  await t.test("accepted, and repeated with what the first delivery led to", async () => {
    for (let time = 0; time < 2; time++) assert.equal((await sendGithub(gateway, opened)).status, 200);
    const [first, again] = await all(gateway);
    const [run] = await gateway.runs();
    assert.deepEqual(endOf(first!), { outcome: "accepted", runIds: [run!.id], eventIds: [] });
    assert.deepEqual(endOf(again!), { outcome: "repeated", runIds: [run!.id], eventIds: [] });
    const { credential, arrival, mapping: taker } = first!;
    assert.deepEqual([credential, taker], ["github", "github"]);
    assert.deepEqual([arrival?.event, arrival?.delivery], ["issues.opened", "d-1"]);
    assert.equal(await bodyOf(gateway, first!), opened.body);
  });

  await t.test("skipped, refused and failed: kept before the sender hears its 200", async () => {
    await sendGithub(gateway, { body: '{"action":"closed"}', id: "d-2", event: "issues" });
    await sendGithub(gateway, { body: "{broken", id: "d-3", event: "issues" });
    const [, , skipped, refused] = await all(gateway);
    assert.deepEqual([skipped?.outcome, skipped?.arrival?.delivery], ["skipped", "d-2"]);
    const [filter] = skipped!.decision!.mappings[0]!.filters;
    assert.deepEqual(filter, {
      field: "event",
      wanted: '"issues.opened"',
      met: '"issues.closed"',
      holds: false,
    });
    assert.deepEqual([refused?.outcome, await bodyOf(gateway, refused!)], ["refused", "{broken"]);
    assert.match(refused!.reason!, /^invalid-json: /);
  });

  await t.test("without a good proof nothing is kept", async () => {
    assert.equal((await sendGithub(gateway, { ...opened, secret: "another secret" })).status, 401);
    assert.equal((await all(gateway)).length, 4);
  });
});

test("too many runs wait: the request is kept as full, and a repeated one as repeated", async (t) => {
  const gateway = await startTestGateway(t, {
    hooks: { maxQueued: 1, mappings: [mapping("any")] },
    agents: {
      list: [{ id: "main", kind: "command", command: "sleep", args: ["60"] }],
      maxConcurrent: 1,
    },
  });
  const agent = { message: "m", deliver: false };
  const first = await gateway.post("agent", agent, key("k"));
  assert.equal(first.status, 202);
  await gateway.waitFor("the queue to be full", async () => {
    return (await gateway.post("agent", agent)).status === 503;
  });
  const full = await gateway.waitFor("its record", async () =>
    (await all(gateway)).find(({ outcome }) => outcome === "full"),
  );
  const count = (await all(gateway)).length;
  assert.equal(full.hasBody, true);
  assert.match(full.reason!, /^queue-full: /);
  assert.equal((await gateway.post("agent", agent, key("k"))).status, 202);
  assert.deepEqual(endOf(await newest(gateway, "repeated", count + 1)), {
    outcome: "repeated",
    runIds: [first.json["runId"]],
    eventIds: [],
  });
});

test("a mail is a request, too, with the payload that the mappings saw as its body", async (t) => {
  const imap = await createFakeImap();
  t.after(() => imap.stop());
  const gateway = await startTestGateway(t, { hooks: { presets: ["gmail"], mail: [fakeAccount(imap)] } });
  await gateway.waitFor("the baseline", async () =>
    (await gateway.inspect.listMailAccounts()).some(({ cursor }) => cursor),
  );
  imap.add({ raw: fakeMail("First", "Please look at this.") });
  const request = await newest(gateway, "accepted", 1);
  const [run] = await gateway.runs();
  assert.deepEqual([request.origin, request.hook, request.credential], ["mail", "gmail", null]);
  assert.deepEqual(endOf(request), { outcome: "accepted", runIds: [run!.id], eventIds: [] });
  assert.equal(run!.requestId, request.id);
  assert.equal(request.decision?.mappings.at(-1)?.takes, true);
  const body = (await bodyOf(gateway, request))!;
  assert.equal(request.arrival?.bytes, Buffer.byteLength(body));
  const { messages } = JSON.parse(body) as { messages: { id: string; subject: string }[] };
  assert.deepEqual([messages[0]?.id, messages[0]?.subject], [request.arrival?.delivery, "First"]);
});

test("a body that is larger than hooks.keepRequestBytes is not kept, and all else of its request is", async (t) => {
  const gateway = await startTestGateway(t, { hooks: { keepRequestBytes: 10 } });
  await gateway.post("wake", { text: "more than ten bytes" });
  const [large] = await all(gateway);
  assert.deepEqual([large?.hasBody, large?.arrival?.bytes], [false, 30]);
});

test("hooks.keepRequests 0: nothing of what was accepted, no body, and still a line with the reason", async (t) => {
  const gateway = await startTestGateway(t, {
    hooks: { keepRequests: 0, mappings: [mapping("ci", { match: { path: "ci", payload: { a: 1 } } })] },
  });
  const agent = { message: "m", deliver: false };
  const { json } = await gateway.post("agent", agent, key("k"));
  assert.equal((await gateway.inspect.findRun(String(json["runId"])))?.requestId, null);
  assert.equal((await gateway.post("agent", agent, key("k"))).status, 202);
  assert.deepEqual(await all(gateway), []);
  assert.equal((await gateway.post("ci", { a: 2 })).status, 204);
  assert.equal((await gateway.post("agent", { ...agent, message: "other" }, key("k"))).status, 422);
  const refused = await newest(gateway, "refused", 2);
  assert.match(refused.reason!, /^idempotency-mismatch: /);
  const [skipped] = await all(gateway);
  assert.deepEqual([skipped?.outcome, skipped?.hasBody, refused.hasBody], ["skipped", false, false]);
});

test("a stop writes what waits to be recorded", async (t) => {
  const gateway = await startTestGateway(t);
  const count = 150;
  await Promise.all(Array.from({ length: count }, () => gateway.post("nobody", {})));
  await gateway.restart();
  assert.equal((await all(gateway)).length, count);
});
