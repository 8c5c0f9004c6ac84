// Contract, section 2: Idempotency-Key.
import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachStore, startTestGateway } from "../support/gateway.ts";

const agent = { message: "m", wakeMode: "next-heartbeat", deliver: false };
const wake = { text: "t", mode: "next-heartbeat" };
const key = (value: string) => [`Idempotency-Key: ${value}`];

forEachStore(
  "the same key to the same hook gives the first answer again and does nothing twice",
  async (t, store) => {
    const gateway = await startTestGateway(t, {}, { store });
    for (const [hook, body] of [
      ["agent", agent],
      ["wake", wake],
    ] as const) {
      const first = await gateway.post(hook, body, key("k-1"));
      const second = await gateway.post(hook, body, key("k-1"));
      assert.equal(first.headers["idempotent-replayed"], undefined);
      assert.equal(second.headers["idempotent-replayed"], "true");
      assert.deepEqual([second.status, second.json], [first.status, first.json]);
    }
    assert.equal((await gateway.runs()).length, 1);
    assert.equal((await gateway.events("wake")).length, 1);
  },
);

forEachStore("another key, or none, is another request", async (t, store) => {
  const gateway = await startTestGateway(t, {}, { store });
  for (const headers of [key("a"), key("A"), [], []])
    assert.equal((await gateway.post("wake", wake, headers)).headers["idempotent-replayed"], undefined);
  assert.equal((await gateway.events()).length, 4);
});

forEachStore("keys count per hook", async (t, store) => {
  const gateway = await startTestGateway(t, {}, { store });
  const body = JSON.stringify({ ...agent, ...wake });
  assert.equal((await gateway.post("wake", body, key("shared"))).status, 200);
  const answer = await gateway.post("agent", body, key("shared"));
  assert.deepEqual([answer.status, answer.headers["idempotent-replayed"]], [202, undefined]);
});

forEachStore("the same key with other body bytes is 422", async (t, store) => {
  const gateway = await startTestGateway(t, {}, { store });
  await gateway.post("wake", '{"text":"t"}', key("k"));
  for (const body of ['{"text":"other"}', '{"text": "t"}']) {
    const { status, json } = await gateway.post("wake", body, key("k"));
    assert.deepEqual([status, json["code"]], [422, "idempotency-mismatch"]);
  }
  assert.equal((await gateway.events()).length, 1);
});

forEachStore("concurrent twins give one run", async (t, store) => {
  const gateway = await startTestGateway(t, {}, { store });
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => gateway.post("agent", agent, key("twins"))),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202]);
  assert.equal(new Set(answers.map(({ json }) => json["runId"])).size, 1);
  assert.equal(answers.filter(({ headers }) => headers["idempotent-replayed"] === undefined).length, 1);
  assert.equal((await gateway.runs()).length, 1);
});

forEachStore("concurrent twins with other bytes: one is taken, the others are 422", async (t, store) => {
  const gateway = await startTestGateway(t, {}, { store });
  const answers = await Promise.all(
    ["a", "b", "c", "d"].map((message) => gateway.post("agent", { ...agent, message }, key("rivals"))),
  );
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [202, 422, 422, 422]);
  assert.equal((await gateway.runs()).length, 1);
});

forEachStore("a key is remembered over a restart", async (t, store) => {
  const gateway = await startTestGateway(t, {}, { store });
  const first = await gateway.post("agent", agent, key("lasting"));
  await gateway.restart();
  const second = await gateway.post("agent", agent, key("lasting"));
  assert.deepEqual([second.headers["idempotent-replayed"], second.json], ["true", first.json]);
  assert.equal((await gateway.runs()).length, 1);
});

test("a malformed key is 400: 1 to 255 visible characters, one header", async (t) => {
  const gateway = await startTestGateway(t);
  for (const headers of [
    key(""),
    key("two words"),
    key("x".repeat(256)),
    key("caf\u00e9"),
    [...key("a"), ...key("a")],
  ]) {
    const { status, json } = await gateway.post("wake", wake, headers);
    assert.deepEqual([status, json["code"]], [400, "invalid-idempotency-key"], headers.join());
  }
  assert.deepEqual(await gateway.events(), []);
  assert.equal((await gateway.post("wake", wake, key("x".repeat(255)))).status, 200);
  assert.equal((await gateway.post("wake", wake, key('!"#~'))).status, 200);
});

test("only 2xx answers are kept: after a refusal the key can be used again", async (t) => {
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
