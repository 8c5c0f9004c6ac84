// What happens to a run when its node loses the lease, the gateway crashes, or the store is unavailable.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeAgent, createHeldAgent } from "../../test/fakes/agent.ts";
import { eventually, settled } from "../../test/fakes/clock.ts";
import { leaseMs, setUpRunner } from "../../test/fakes/runner.ts";
import { StoreUnavailable } from "../core/errors.ts";
import { silentLog, type Log } from "../core/log.ts";
import { startRun } from "../store/ports/harness.contract.ts";

test("a run whose lease is lost is not changed", async (t) => {
  const { runnerWith, enqueue, find, store, clock, summaries } = await setUpRunner(t);
  const id = await enqueue();
  const agent = createHeldAgent({ deaf: true });
  // Renewal hangs, as behind a cut network, and another node takes over.
  const cut = { ...store, renewRuns: () => new Promise<never>(() => {}) };
  const ticked = runnerWith(agent, { store: cut }).tick();
  await eventually(() => agent.inputs.length === 1);
  await clock.advance(leaseMs - 1);
  assert.equal(agent.signals[0]!.aborted, false);
  await clock.advance(1001);
  await ticked;
  assert.ok(agent.signals[0]!.aborted, "the agent is stopped");
  const { claimed } = await store.claimRuns({ kind: "hook", limit: 1, lease: "other", leaseMs });
  assert.equal(claimed[0]?.attempts, 2);
  agent.end(0);
  await settled();
  assert.deepEqual([(await find(id)).status, (await find(id)).reply], ["running", null]);
  assert.deepEqual(await summaries(), []);
});

test("a reply after another node has claimed the run is not stored", async (t) => {
  const { runnerWith, enqueue, find, store, clock, summaries } = await setUpRunner(t);
  const id = await enqueue();
  const agent = createFakeAgent(async () => {
    await clock.advance(0);
    await store.claimRuns({ kind: "hook", limit: 1, lease: "other", leaseMs });
    return { kind: "replied", reply: "late" };
  });
  const stolen = {
    ...store,
    claimRuns: (claim: Parameters<typeof store.claimRuns>[0]) => store.claimRuns({ ...claim, leaseMs: 0 }),
  };
  const warnings: string[] = [];
  const log: Log = { ...silentLog, warn: (line) => warnings.push(line) };
  await runnerWith(agent, { store: stolen, log }).tick();
  assert.deepEqual([(await find(id)).status, (await find(id)).reply], ["running", null]);
  assert.deepEqual(await summaries(), []);
  assert.deepEqual(warnings, ["a run's lease was lost; this attempt's outcome is not stored"]);
});

/** Claims a run for a node that then crashes: before it has started the attempt, or after. */
async function crash(
  { store }: Pick<Awaited<ReturnType<typeof setUpRunner>>, "store">,
  lease: string,
  when: "claimed" | "started",
): Promise<void> {
  const [run] = (await store.claimRuns({ kind: "hook", limit: 1, lease, leaseMs })).claimed;
  assert.ok(run);
  if (when === "started") await startRun(store, run);
}

test("a crash: the lease expires and the run is executed again", async (t) => {
  const { runnerWith, enqueue, find, store, clock } = await setUpRunner(t);
  const id = await enqueue();
  await crash({ store }, "crashed", "started");
  const agent = createFakeAgent();
  const runner = runnerWith(agent);
  await clock.advance(leaseMs - 1);
  await runner.tick();
  assert.equal(agent.inputs.length, 0);
  await clock.advance(1);
  await runner.tick();
  assert.deepEqual([(await find(id)).status, (await find(id)).attempts], ["succeeded", 2]);
});

test("a run whose every attempt ended in a crash fails without another", async (t) => {
  const { runnerWith, enqueue, find, store, clock } = await setUpRunner(t);
  const id = await enqueue();
  for (let count = 0; count < 3; count++) {
    await crash({ store }, `crashed ${count}`, "started");
    await clock.advance(leaseMs);
  }
  const agent = createFakeAgent();
  await runnerWith(agent).tick();
  const run = await find(id);
  assert.deepEqual(
    [run.status, run.error, agent.inputs.length],
    ["failed", "the gateway stopped during each of its 3 attempts", 0],
  );
});

test("an outcome is stored when the store is available again", async (t) => {
  const { runnerWith, enqueue, find, store, clock } = await setUpRunner(t);
  const id = await enqueue();
  let away = 3;
  const flaky = {
    ...store,
    settleRun: async (...settling: Parameters<typeof store.settleRun>) => {
      if (away-- > 0) throw new StoreUnavailable("away");
      return store.settleRun(...settling);
    },
  };
  const agent = createFakeAgent();
  const ticked = runnerWith(agent, { store: flaky }).tick();
  await eventually(async () => {
    await clock.advance(100);
    return away < 0;
  });
  await ticked;
  assert.deepEqual([(await find(id)).status, agent.inputs.length], ["succeeded", 1]);
});

test("attempts whose agent was never asked cost nothing, however many", async (t) => {
  const { runnerWith, enqueue, find, store, clock } = await setUpRunner(t);
  const id = await enqueue({ timeoutSeconds: 60 });
  for (let count = 0; count < 10; count++) {
    await crash({ store }, `crashed ${count}`, "claimed");
    await clock.advance(leaseMs);
  }
  await crash({ store }, "crashed later", "started");
  await clock.advance(leaseMs);
  await crash({ store }, "crashed again", "claimed");
  await clock.advance(leaseMs);
  const agent = createFakeAgent();
  await runnerWith(agent).tick();
  const { status, attempts } = await find(id);
  assert.deepEqual([status, attempts, agent.inputs.length], ["succeeded", 2, 1]);
});

test("a lease that runs out while the start is stored gives the attempt back", async (t) => {
  const { runnerWith, enqueue, find, store, clock } = await setUpRunner(t);
  const id = await enqueue();
  const slow = {
    ...store,
    renewRuns: () => new Promise<never>(() => {}),
    startRun: async (start: Parameters<typeof store.startRun>[0]) => {
      const started = await store.startRun(start);
      await clock.advance(leaseMs);
      return started;
    },
  };
  const agent = createFakeAgent();
  await runnerWith(agent, { store: slow }).tick();
  const { status, attempts } = await find(id);
  assert.deepEqual([status, attempts, agent.inputs.length], ["queued", 0, 0]);
});

for (const verb of ["startRun", "lastTarget", "settleRun", "markActed"] as const)
  test(`a store that is away at ${verb} costs time and no attempt`, async (t) => {
    const { runnerWith, enqueue, find, store, clock } = await setUpRunner(t);
    const id = await enqueue({ deliver: true });
    let away = 4;
    const call = store[verb].bind(store) as (...input: unknown[]) => Promise<unknown>;
    const flaky = {
      ...store,
      [verb]: async (...input: unknown[]) => {
        if (away-- > 0) throw new StoreUnavailable("away");
        return call(...input);
      },
    };
    const agent = createFakeAgent(async (input) => {
      assert.ok(await input.onActing());
      return { kind: "replied", reply: "done" };
    });
    const ticked = runnerWith(agent, { store: flaky }).tick();
    await eventually(async () => {
      await clock.advance(100);
      return away < 0;
    });
    await ticked;
    const { status, attempts } = await find(id);
    assert.deepEqual([status, attempts, agent.inputs.length], ["succeeded", 1, 1]);
  });

test("a heartbeat waits for a store that is away when its events are read", async (t) => {
  const { runnerWith, wake, heartbeats, store, clock } = await setUpRunner(t);
  await wake("look");
  let away = 4;
  const flaky = {
    ...store,
    waitingEvents: async (...input: Parameters<typeof store.waitingEvents>) => {
      if (away-- > 0) throw new StoreUnavailable("away");
      return store.waitingEvents(...input);
    },
  };
  const agent = createFakeAgent();
  const ticked = runnerWith(agent, { store: flaky }).tick();
  await eventually(async () => {
    await clock.advance(100);
    return away < 0;
  });
  await ticked;
  const [beat] = await heartbeats();
  assert.deepEqual([beat?.status, beat?.attempts, agent.inputs.length], ["succeeded", 1, 1]);
});

test("an end is stored also when our lease ran out meanwhile, if no other node has the run", async (t) => {
  const { runnerWith, enqueue, find, store, clock } = await setUpRunner(t);
  const id = await enqueue();
  const reading = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const slow = {
    ...store,
    renewRuns: () => new Promise<never>(() => {}),
    lastTarget: async () => {
      reading.resolve();
      await answer.promise;
      return null;
    },
  };
  const agent = createFakeAgent();
  const other = await enqueue({ deliver: true });
  const ticked = runnerWith(agent, { store: slow }).tick();
  await reading.promise;
  await clock.advance(leaseMs + 1000);
  answer.resolve();
  await ticked;
  assert.deepEqual([(await find(id)).status, (await find(other)).status], ["succeeded", "succeeded"]);
  assert.equal(agent.inputs.length, 2);
});

for (const claimTookMs of [leaseMs, leaseMs / 2])
  test(`a claim that took ${claimTookMs} ms is worked only under what is left of its lease`, async (t) => {
    const { runnerWith, enqueue, find, store, clock } = await setUpRunner(t);
    const id = await enqueue();
    const slow = {
      ...store,
      claimRuns: async (claim: Parameters<typeof store.claimRuns>[0]) => {
        const claimed = await store.claimRuns(claim);
        await clock.advance(claimTookMs);
        return claimed;
      },
    };
    const agent = createFakeAgent();
    await runnerWith(agent, { store: slow }).tick();
    const isInTime = claimTookMs < leaseMs;
    assert.equal(agent.inputs.length, isInTime ? 1 : 0);
    const { status, attempts } = await find(id);
    assert.deepEqual([status, attempts], isInTime ? ["succeeded", 1] : ["queued", 0]);
  });
