import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeAgent, createHeldAgent } from "../../test/fakes/agent.ts";
import { eventually } from "../../test/fakes/clock.ts";
import { setUpRunner } from "../../test/fakes/runner.ts";
import { parseFences } from "../untrusted/fence.ts";

const acknowledge = () => ({ kind: "replied", reply: "HEARTBEAT_OK" }) as const;

test("requests close together become one heartbeat that shows all their events", async (t) => {
  const { runnerWith, wake, store, heartbeats, clock } = await setUpRunner(t);
  for (const text of ["first", "second", "third"]) await wake(text, 250);
  const agent = createFakeAgent(acknowledge);
  const runner = runnerWith(agent);
  await runner.tick();
  assert.equal(agent.inputs.length, 0, "not before the delay");
  await clock.advance(250);
  await runner.tick();
  await clock.advance(1000);
  await runner.tick();
  assert.equal(agent.inputs.length, 1);
  assert.match(agent.inputs[0]!.prompt, /first[^]*second[^]*third/);
  assert.equal(agent.inputs[0]!.sessionKey, "main");
  assert.deepEqual(
    (await heartbeats()).map(({ status }) => status),
    ["succeeded"],
  );
  assert.deepEqual(await store.waitingEvents("main", 10), []);
  assert.deepEqual(await store.listDeliveries({ limit: null }), []);
});

test("an event for the next heartbeat is shown by any heartbeat", async (t) => {
  const { runnerWith, wake } = await setUpRunner(t);
  await wake("patient", null);
  const agent = createFakeAgent(acknowledge);
  await runnerWith(agent).tick();
  assert.equal(agent.inputs.length, 0);
  await wake("hurried");
  await runnerWith(agent).tick();
  assert.match(agent.inputs[0]!.prompt, /patient[^]*hurried/);
});

test("a request during a heartbeat causes another, with the events stored meanwhile", async (t) => {
  const { runnerWith, wake, store } = await setUpRunner(t);
  await wake("early");
  const agent = createHeldAgent();
  const runner = runnerWith(agent);
  runner.start();
  await eventually(() => agent.inputs.length === 1);
  await wake("second");
  await wake("third");
  runner.kick("heartbeat");
  agent.end(0, acknowledge());
  await eventually(() => agent.inputs.length === 2);
  assert.ok(!agent.inputs[0]!.prompt.includes("second") && !agent.inputs[1]!.prompt.includes("early"));
  assert.match(agent.inputs[1]!.prompt, /second[^]*third/);
  agent.end(1, acknowledge());
  await eventually(async () => (await store.waitingEvents("main", 1)).length === 0);
  await runner.drain(0);
  assert.equal(agent.inputs.length, 2);
});

test("a heartbeat that fails keeps its events for the next", async (t) => {
  const { runnerWith, wake, store } = await setUpRunner(t);
  const id = await wake("important");
  await runnerWith(createFakeAgent(() => ({ kind: "failed", reason: "no", mayPass: false }))).tick();
  assert.deepEqual(
    (await store.waitingEvents("main", 10)).map((event) => event.id),
    [id],
  );
  await wake("another");
  const agent = createFakeAgent(acknowledge);
  await runnerWith(agent).tick();
  assert.match(agent.inputs[0]!.prompt, /important[^]*another/);
  assert.deepEqual(await store.waitingEvents("main", 10), []);
});

test("events that do not fit into one heartbeat cause another, in order", async (t) => {
  const { runnerWith, wake, store } = await setUpRunner(t);
  for (const letter of ["a", "b", "c"]) await wake(letter.repeat(60_000));
  const agent = createFakeAgent(acknowledge);
  const runner = runnerWith(agent);
  runner.start();
  await eventually(async () => (await store.waitingEvents("main", 10)).length === 0);
  await runner.drain(0);
  assert.deepEqual(
    agent.inputs.map(({ prompt }) => parseFences(prompt).map(({ text }) => text)),
    ["a", "b", "c"].map((letter) => [letter.repeat(60_000)]),
  );
});

test("a hook run with wakeMode now is followed by a heartbeat that shows its summary", async (t) => {
  const { runnerWith, enqueue, clock, heartbeats } = await setUpRunner(t);
  await enqueue({ wakeMode: "now" });
  const agent = createFakeAgent((input) =>
    input.sessionKey === "main" ? acknowledge() : { kind: "replied", reply: "all done" },
  );
  const runner = runnerWith(agent);
  runner.start();
  await eventually(async () => {
    await clock.advance(50);
    return (await heartbeats())[0]?.status === "succeeded";
  });
  await runner.drain(0);
  assert.equal(agent.inputs.length, 2);
  assert.deepEqual(
    parseFences(agent.inputs[1]!.prompt).map(({ label, text }) => [label, text]),
    [["summary", "Hook Email: all done"]],
  );
});

test("a flood of hook runs does not delay a heartbeat", async (t) => {
  const { runnerWith, enqueue, wake, heartbeats, policy } = await setUpRunner(t);
  for (let each = 0; each < 20; each++) await enqueue();
  const agent = createHeldAgent();
  const runner = runnerWith(agent);
  runner.start();
  await eventually(() => agent.inputs.length === policy.maxConcurrent);
  await wake("now");
  runner.kick("heartbeat");
  await eventually(() => agent.inputs.length === policy.maxConcurrent + 1);
  assert.equal(agent.inputs.at(-1)!.sessionKey, "main");
  agent.end(policy.maxConcurrent, acknowledge());
  await eventually(async () => (await heartbeats())[0]?.status === "succeeded");
  await runner.drain(0);
});

test("any other reply goes to the main session's last recipient", async (t) => {
  const { runnerWith, wake, store, policy } = await setUpRunner(t);
  await store.setLastTarget({ channel: "telegram", to: "5" });
  await wake("look");
  const configured = [{ channel: "telegram", to: null }];
  await runnerWith(createFakeAgent(), { policy: () => ({ ...policy, configured }) }).tick();
  const [delivery] = await store.listDeliveries({ limit: null });
  assert.deepEqual([delivery?.channel, delivery?.to, delivery?.status], ["telegram", "5", "waiting"]);
});
