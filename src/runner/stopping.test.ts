// How a run is stopped: at its time limit, by a cancellation, and when the gateway stops.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeAgent, createHeldAgent } from "../../test/fakes/agent.ts";
import { eventually, settled } from "../../test/fakes/clock.ts";
import { leaseMs, setUpRunner } from "../../test/fakes/runner.ts";
import { plainText } from "../core/message.ts";
import type { AgentOutcome } from "../core/outcome.ts";

const mayPass: AgentOutcome = { kind: "failed", reason: "busy", mayPass: true };

test("a run whose agent ignores its signal is settled as timed-out in time", async (t) => {
  const { runnerWith, enqueue, find, reaches, clock } = await setUpRunner(t);
  const id = await enqueue({ timeoutSeconds: 5 });
  const agent = createHeldAgent({ deaf: true });
  const runner = runnerWith(agent);
  runner.start();
  await eventually(() => agent.inputs.length === 1);
  await clock.advance(4999);
  assert.equal((await find(id)).status, "running");
  await clock.advance(1);
  await reaches(id, "timed-out");
  assert.equal((await find(id)).error, "no reply within 5 seconds");
  assert.ok(agent.signals[0]!.aborted);
  agent.end(0);
  await runner.drain(0);
  assert.equal((await find(id)).status, "timed-out");
});

test("the time limit covers all attempts", async (t) => {
  const { runnerWith, enqueue, find, reaches, clock } = await setUpRunner(t);
  const id = await enqueue({ timeoutSeconds: 6 });
  const agent = createHeldAgent();
  const runner = runnerWith(agent);
  const first = runner.tick();
  await eventually(() => agent.inputs.length === 1);
  await clock.advance(3000);
  agent.end(0, mayPass);
  await first;
  await clock.advance(2000);
  void runner.tick();
  await eventually(() => agent.inputs.length === 2);
  assert.equal(agent.inputs[1]!.timeoutSeconds, 3, "the wait did not cost working time");
  await clock.advance(3000);
  await reaches(id, "timed-out");
  assert.equal((await find(id)).attempts, 2);
});

test("a cancelled queued run is never executed", async (t) => {
  const { runnerWith, enqueue, find, store } = await setUpRunner(t);
  const id = await enqueue();
  await store.cancelRun(id, { error: "it was cancelled", summary: null, heartbeat: null });
  const agent = createFakeAgent();
  await runnerWith(agent).tick();
  assert.equal((await find(id)).status, "cancelled");
  assert.equal(agent.inputs.length, 0);
});

test("a cancelled running run stops within about a second", async (t) => {
  const { runnerWith, enqueue, store, reaches, clock, summaries } = await setUpRunner(t);
  const id = await enqueue();
  const agent = createHeldAgent({ deaf: true });
  void runnerWith(agent).tick();
  await eventually(() => agent.inputs.length === 1);
  assert.equal(await store.cancelRun(id, { error: "", summary: null, heartbeat: null }), "requested");
  await clock.advance(1000);
  await reaches(id, "cancelled");
  assert.ok(agent.signals[0]!.aborted);
  assert.deepEqual(
    (await summaries()).map(({ text }) => plainText(text)),
    ["Hook Email (cancelled): it was cancelled"],
  );
});

test("a run cancelled while a crashed gateway held it ends without running", async (t) => {
  const { runnerWith, enqueue, store, find, clock } = await setUpRunner(t);
  const id = await enqueue();
  await store.claimRuns({ kind: "hook", limit: 1, lease: "crashed", leaseMs });
  await store.cancelRun(id, { error: "", summary: null, heartbeat: null });
  await clock.advance(leaseMs);
  const agent = createFakeAgent();
  await runnerWith(agent).tick();
  assert.deepEqual([(await find(id)).status, agent.inputs.length], ["cancelled", 0]);
});

test("drain waits for running attempts, and claims nothing more", async (t) => {
  const { runnerWith, enqueue, find, policy } = await setUpRunner(t);
  policy.maxConcurrent = 1;
  const [first, second] = [await enqueue(), await enqueue()];
  const agent = createHeldAgent();
  const runner = runnerWith(agent);
  runner.start();
  await eventually(() => agent.inputs.length === 1);
  const drained = runner.drain(30_000);
  agent.end(0);
  await drained;
  assert.deepEqual([(await find(first)).status, (await find(second)).status], ["succeeded", "queued"]);
});

test("drain releases runs that do not end in time without counting the attempt, even if the agent does not stop", async (t) => {
  const { runnerWith, enqueue, find, reaches, clock, summaries } = await setUpRunner(t);
  const id = await enqueue();
  const agent = createHeldAgent({ deaf: true });
  const runner = runnerWith(agent);
  runner.start();
  await eventually(() => agent.inputs.length === 1);
  let drained = false;
  const done = runner.drain(5000).then(() => (drained = true));
  await clock.advance(4999);
  assert.equal((await find(id)).status, "running");
  await clock.advance(1);
  await reaches(id, "queued");
  assert.deepEqual([(await find(id)).attempts, agent.signals[0]!.aborted], [0, true]);
  await settled();
  assert.equal(drained, false, "the agent gets a few seconds to stop");
  await eventually(async () => {
    await clock.advance(1000);
    return drained;
  });
  await done;
  assert.deepEqual(await summaries(), []);
  assert.equal(clock.waiting(), 0, "nothing keeps the process alive");
  const next = createFakeAgent();
  await runnerWith(next).tick();
  assert.deepEqual([(await find(id)).status, (await find(id)).attempts], ["succeeded", 1]);
});

test("a stop does not wait for a prompt that is still being made", async (t) => {
  const { runnerWith, enqueue, find } = await setUpRunner(t);
  const id = await enqueue();
  const endless = () => new Promise<never>(() => {});
  const prompts = { now: () => null, hook: endless, heartbeat: endless, close: async () => {} };
  const agent = createFakeAgent();
  const runner = runnerWith(agent, { prompts });
  runner.start();
  await eventually(() => runner.busy() === 1);
  await runner.drain(0);
  const { status, attempts } = await find(id);
  assert.deepEqual([status, attempts, agent.inputs.length], ["queued", 0, 0]);
});
