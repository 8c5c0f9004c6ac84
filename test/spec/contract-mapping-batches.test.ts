// Contract, sections 2, 3 and 6: forEach, one action for each element, all stored or none; and idempotency keys.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { plainText } from "../../src/core/message.ts";
import type { RawResponse } from "../fixtures/raw-client.ts";
import {
  forEachStore,
  gated,
  startTestGateway,
  type StoreKind,
  type TestGateway,
} from "../support/gateway.ts";
import { codeOf, lastRecord, mapping, promptOf, readPrompt } from "../support/mapped.ts";

const key = (value: string) => [`Idempotency-Key: ${value}`];
const idsOf = ({ json }: RawResponse, name: "runIds" | "eventIds") => json[name] as string[];
const items = (...names: string[]) => ({ batch: "b", items: names.map((name) => ({ name })) });

const messages = {
  each: "{{ batch }}: {{ items[0].name }} of {{ items.size }}{{ items[1].name }}",
  note: "{{ items[0].name }}",
};

const mappings = [
  mapping("runs", { forEach: "items", messageTemplate: messages.each }),
  mapping("notes", { action: "wake", forEach: "items", textTemplate: messages.note }),
  mapping("keys", { forEach: "items", sessionKey: "{{ items[0].name }}" }),
  mapping("deep", { forEach: "data.lists[1]", messageTemplate: "{{ data.lists[1][0] }}" }),
  mapping("whole", { forEach: "payload", messageTemplate: "{{ payload[0].name }}" }),
  mapping("one", { sessionKey: "hook:{{ id }}" }),
  mapping("note", { action: "wake", textTemplate: "{{ id }}" }),
];

async function stored(gateway: TestGateway): Promise<[runs: number, events: number]> {
  return [(await gateway.runs()).length, (await gateway.events("wake")).length];
}

async function startWithBatches(t: TestContext, store: StoreKind) {
  const hooks = { allowedSessionKeyPrefixes: ["hook:"], mappings };
  const gateway = await startTestGateway(t, { hooks }, { store });
  const nothingStored = async (work: () => Promise<void>) => {
    const before = await stored(gateway);
    await work();
    assert.deepEqual(await stored(gateway), before);
  };
  const messagesOf = async (ids: readonly string[]) => {
    const runs = await Promise.all(ids.map((id) => gateway.inspect.findRun(id)));
    return runs.map((run) => (run ? plainText(run.request.message) : null));
  };
  return { gateway, nothingStored, messagesOf };
}

forEachStore("forEach: runs and events", async (t, store) => {
  const { gateway, nothingStored, messagesOf } = await startWithBatches(t, store);

  await t.test("202 with one run for each element, in order, each seeing its one element", async () => {
    const response = await gateway.post("runs", items("x", "y", "z"));
    assert.equal(response.status, 202);
    assert.deepEqual(Object.keys(response.json), ["ok", "runIds"]);
    assert.deepEqual(await messagesOf(idsOf(response, "runIds")), ["b: x of 1", "b: y of 1", "b: z of 1"]);
  });

  await t.test("one element gives a list of one id", async () => {
    const response = await gateway.post("runs", items("x"));
    assert.equal(idsOf(response, "runIds").length, 1);
    assert.equal(response.json["runId"], undefined);
  });

  await t.test("200 with eventIds for wake", async () => {
    const response = await gateway.post("notes", items("x", "y"));
    assert.deepEqual([response.status, response.json["mode"]], [200, "next-heartbeat"]);
    const events = await Promise.all(idsOf(response, "eventIds").map((id) => gateway.inspect.findEvent(id)));
    assert.deepEqual(
      events.map((event) => event && plainText(event.text)),
      ["x", "y"],
    );
  });

  await t.test("the array may be deep inside the payload, or be the payload itself", async () => {
    const deep = await gateway.post("deep", { data: { lists: [["no"], ["a", "b"]] } });
    assert.deepEqual(await messagesOf(idsOf(deep, "runIds")), ["a", "b"]);
    const whole = await gateway.post("whole", [{ name: "a" }, { name: "b" }]);
    assert.deepEqual(await messagesOf(idsOf(whole, "runIds")), ["a", "b"]);
  });

  await t.test("an empty array is 204, with a record", async () => {
    await nothingStored(async () => {
      assert.equal((await gateway.post("runs", { items: [] })).status, 204);
      const { hook, outcome, reason } = await lastRecord(gateway);
      assert.deepEqual([hook, outcome, reason], ["runs", "skipped", "runs: items is empty"]);
    });
  });

  await t.test("1,000 elements are taken, 1,001 are 400, never a silent cut", async () => {
    await nothingStored(async () => {
      const many = await gateway.post("notes", {
        items: Array.from({ length: 1001 }, () => ({ name: "n" })),
      });
      assert.deepEqual(codeOf(many), [400, "invalid-payload"]);
      assert.match(many.text, /1000/);
    });
    const most = await gateway.post("notes", { items: Array.from({ length: 1000 }, () => ({ name: "n" })) });
    assert.deepEqual([most.status, new Set(idsOf(most, "eventIds")).size], [200, 1000]);
  });
});

forEachStore("forEach: refusals", async (t, store) => {
  const { gateway, nothingStored } = await startWithBatches(t, store);

  await t.test("a value that is no array is 400", async () => {
    await nothingStored(async () => {
      for (const payload of [{}, { items: {} }, { items: "x" }, { items: null }, [], 5]) {
        const response = await gateway.post("runs", payload);
        assert.deepEqual(codeOf(response), [400, "invalid-payload"]);
        const [detail] = response.json["details"] as { path: string; message: string }[];
        assert.equal(detail?.path, "items");
        assert.match(detail.message, /array/);
      }
    });
  });

  await t.test("when one element is refused, none is stored, and the response names it", async () => {
    await nothingStored(async () => {
      const blank = await gateway.post("keys", items("hook:a", " ", "hook:c"));
      assert.deepEqual(codeOf(blank), [400, "invalid-payload"]);
      assert.deepEqual(blank.json["details"], [{ path: "items[1]: sessionKey", message: "came out blank" }]);
      const prefix = await gateway.post("keys", items("hook:a", "hook:b", "other"));
      assert.deepEqual(codeOf(prefix), [400, "session-key-prefix"]);
      const message = "is refused, and all the others with it";
      assert.deepEqual(prefix.json["details"], [{ path: "items[2]", message }]);
      const empty = await gateway.post("notes", { items: [{ name: "a" }, {}] });
      assert.deepEqual(empty.json["details"], [{ path: "items[1]: text", message: "is required" }]);
    });
  });
});

forEachStore("forEach: Idempotency-Key", async (t, store) => {
  const { gateway, nothingStored } = await startWithBatches(t, store);

  await t.test(
    "an Idempotency-Key covers the whole batch: the first response again, nothing doubled",
    async () => {
      for (const [name, list] of [
        ["runs", "runIds"],
        ["notes", "eventIds"],
      ] as const) {
        const first = await gateway.post(name, items("x", "y"), key("batch"));
        await nothingStored(async () => {
          const again = await gateway.post(name, items("x", "y"), key("batch"));
          assert.equal(again.headers["idempotent-replayed"], "true");
          assert.deepEqual([again.status, again.json], [first.status, first.json]);
          assert.equal(idsOf(again, list).length, 2);
          const other = await gateway.post(name, items("x", "y", "z"), key("batch"));
          assert.deepEqual(codeOf(other), [422, "idempotency-mismatch"]);
        });
      }
    },
  );

  await t.test("concurrent batches with one key become one", async () => {
    const [before] = await stored(gateway);
    const posts = Array.from({ length: 8 }, () => gateway.post("runs", items("x", "y", "z"), key("twins")));
    const responses = await Promise.all(posts);
    assert.equal(new Set(responses.map(({ text }) => text)).size, 1);
    assert.equal((await stored(gateway))[0], before + 3);
  });

  await t.test("an Idempotency-Key with a single action, counted for each hook", async () => {
    for (const name of ["one", "note"]) {
      const first = await gateway.post(name, { id: 1 }, key("single"));
      assert.equal(first.headers["idempotent-replayed"], undefined, name);
      await nothingStored(async () => {
        const again = await gateway.post(name, { id: 1 }, key("single"));
        assert.deepEqual([again.headers["idempotent-replayed"], again.json], ["true", first.json]);
        assert.equal((await gateway.post(name, { id: 2 }, key("single"))).status, 422);
      });
    }
    assert.deepEqual(codeOf(await gateway.post("one", { id: 1 }, key("two words"))), [
      400,
      "invalid-idempotency-key",
    ]);
  });

  await t.test(
    "a 204 is kept with its key, as any 2xx; a refused request does not use up its key",
    async () => {
      assert.equal((await gateway.post("runs", { items: [] }, key("spare"))).status, 204);
      const again = await gateway.post("runs", { items: [] }, key("spare"));
      assert.deepEqual([again.status, again.headers["idempotent-replayed"]], [204, "true"]);
      assert.equal((await gateway.post("runs", { items: 1 }, key("spare"))).status, 422);
      assert.equal((await gateway.post("runs", { items: 1 }, key("unused"))).status, 400);
      const response = await gateway.post("runs", items("x"), key("unused"));
      assert.deepEqual([response.status, response.headers["idempotent-replayed"]], [202, undefined]);
    },
  );
});

test("a batch that the queue does not admit is 503 and stores nothing; a wake is no run", async (t) => {
  const gateway = await startTestGateway(t, {
    hooks: { maxQueued: 3, mappings },
    agents: { maxConcurrent: 1, list: [gated("main")] },
  });
  const full = await gateway.post("runs", items("a", "b", "c", "d"));
  assert.deepEqual(codeOf(full), [503, "queue-full"]);
  assert.match(full.headers["retry-after"] ?? "", /^[1-9]\d*$/);
  assert.deepEqual(await stored(gateway), [0, 0]);
  assert.equal((await gateway.post("runs", items("a", "b", "c"))).status, 202);
  assert.equal(
    (await gateway.post("runs", items("a", "b"))).status,
    503,
    "one of the three may have started",
  );
  assert.equal((await gateway.post("notes", items("a", "b", "c", "d"))).status, 200);
  gateway.put("go");
  await gateway.waitFor(
    "the queue to admit a run",
    async () => (await gateway.post("runs", items("a"))).status === 202,
  );
});

test("the preset gmail: one run for each message, each a conversation of its own", async (t) => {
  const gateway = await startTestGateway(t, { hooks: { presets: ["gmail"] } });
  const mail = (id: string, subject: string) => ({
    id,
    from: "Ada <ada@example.test>",
    subject,
    snippet: "Short",
    body: "Line one\nLine two",
  });
  const payload = { source: "gmail", messages: [mail("18c1", "First"), mail("18c2", "Second")] };
  const response = await gateway.post("gmail", payload);
  assert.equal(response.status, 202);
  const ids = idsOf(response, "runIds");
  const runs = await Promise.all(ids.map((id) => gateway.ended(id)));
  assert.deepEqual(
    runs.map(({ sessionKey, request }) => [sessionKey, request.name]),
    [
      ["hook:gmail:18c1", "Gmail"],
      ["hook:gmail:18c2", "Gmail"],
    ],
  );
  const prompt = readPrompt(await promptOf(gateway, { ...response, json: { runId: ids[1] } }));
  assert.match(prompt.outside, /^A new mail has come in\.\n\nFrom: \[data 1\]\nSubject: \[data 2\]/);
  assert.deepEqual(
    prompt.blocks.map(({ label, text }) => [label, text]),
    [
      ["messages[0].from", "Ada <ada@example.test>"],
      ["messages[0].subject", "Second"],
      ["messages[0].snippet", "Short"],
      ["messages[0].body", "Line one\nLine two"],
    ],
  );
  assert.doesNotMatch(prompt.whole, /First/);
  assert.equal((await gateway.post("gmail", { messages: [] })).status, 204);
  assert.equal((await gateway.post("gmail", { messages: [{ from: "no id" }] })).status, 202);
});
