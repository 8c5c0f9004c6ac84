// What is kept of a run's attempts, through everything that can end one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeAgent, createHeldAgent } from "../../test/fakes/agent.ts";
import { eventually } from "../../test/fakes/clock.ts";
import { leaseMs, setUpRunner } from "../../test/fakes/runner.ts";
import { startRun } from "../store/ports/harness.contract.ts";

const setUp = async (t: Parameters<typeof setUpRunner>[0]) => {
  const all = await setUpRunner(t);
  const kept = async (id: string) =>
    (await all.store.listAttempts(id)).map(({ number, node, outcome, reason, startedAt, endedAt }) => ({
      number,
      node,
      outcome,
      reason,
      tookMs: endedAt - startedAt,
    }));
  return { ...all, kept };
};
const mayPass = { kind: "failed", reason: "busy", mayPass: true } as const;

test("a retry and the end after it, each with its node, its time and its reason", async (t) => {
  const { runnerWith, enqueue, clock, store, kept } = await setUp(t);
  const id = await enqueue();
  const agent = createHeldAgent();
  const first = runnerWith(agent, { node: "a:1" }).tick();
  await eventually(() => agent.inputs.length === 1);
  await clock.advance(30);
  agent.end(0, mayPass);
  await first;
  assert.equal((await store.listAttempts(id))[0]?.nextTryAt, clock.now() + 2000);
  await clock.advance(2000);
  const second = runnerWith(agent, { node: "b:1" }).tick();
  await eventually(() => agent.inputs.length === 2);
  await clock.advance(50);
  agent.end(1);
  await second;
  assert.deepEqual(await kept(id), [
    { number: 1, node: "a:1", outcome: "retry", reason: "busy", tookMs: 30 },
    { number: 2, node: "b:1", outcome: "succeeded", reason: null, tookMs: 50 },
  ]);
});

test("a timeout and a cancellation", async (t) => {
  const { runnerWith, enqueue, clock, store, reaches, kept } = await setUp(t);
  const [slow, unwanted] = [await enqueue({ timeoutSeconds: 5 }), await enqueue()];
  const agent = createHeldAgent({ deaf: true });
  void runnerWith(agent, { node: "a:1" }).tick();
  await eventually(() => agent.inputs.length === 2);
  await store.cancelRun(unwanted, { error: "", summary: null, heartbeat: null });
  await clock.advance(5000);
  await reaches(slow, "timed-out");
  await reaches(unwanted, "cancelled");
  const [timedOut] = await kept(slow);
  assert.deepEqual(timedOut, {
    number: 1,
    node: "a:1",
    outcome: "timed-out",
    reason: "no reply within 5 seconds",
    tookMs: 5000,
  });
  assert.deepEqual(
    (await kept(unwanted)).map(({ outcome, reason }) => [outcome, reason]),
    [["cancelled", "it was cancelled"]],
  );
});

test("a clean stop in the middle of one is kept until the next one takes its number", async (t) => {
  const { runnerWith, enqueue, clock, reaches, kept } = await setUp(t);
  const id = await enqueue();
  const agent = createHeldAgent();
  const runner = runnerWith(agent, { node: "a:1" });
  runner.start();
  await eventually(() => agent.inputs.length === 1);
  await clock.advance(40);
  const drained = runner.drain(0);
  await reaches(id, "queued");
  await drained;
  assert.deepEqual(await kept(id), [
    { number: 1, node: "a:1", outcome: "released", reason: null, tookMs: 40 },
  ]);
  await runnerWith(createFakeAgent(), { node: "b:1" }).tick();
  assert.deepEqual(await kept(id), [
    { number: 1, node: "b:1", outcome: "succeeded", reason: null, tookMs: 0 },
  ]);
});

test("a stop before the agent was called leaves nothing", async (t) => {
  const { runnerWith, enqueue, kept, find } = await setUp(t);
  const id = await enqueue();
  const runner = runnerWith(createFakeAgent());
  const ticked = runner.tick();
  await runner.drain(0);
  await ticked;
  assert.equal((await find(id)).status, "queued");
  assert.deepEqual(await kept(id), []);
});

test("after a crash its number is missing", async (t) => {
  const { runnerWith, enqueue, clock, store, kept } = await setUp(t);
  const id = await enqueue();
  const [dead] = (await store.claimRuns({ kind: "hook", limit: 1, lease: "dead", leaseMs })).claimed;
  await startRun(store, dead!);
  await clock.advance(leaseMs);
  await runnerWith(createFakeAgent(), { node: "b:1" }).tick();
  assert.deepEqual(
    (await kept(id)).map(({ number, outcome }) => [number, outcome]),
    [[2, "succeeded"]],
  );
});

test("a heartbeat's are kept, too", async (t) => {
  const { runnerWith, wake, heartbeats, kept } = await setUp(t);
  await wake("look");
  await runnerWith(createFakeAgent()).tick();
  const [beat] = await heartbeats();
  assert.deepEqual(
    (await kept(beat!.id)).map(({ number, outcome }) => [number, outcome]),
    [[1, "succeeded"]],
  );
});
