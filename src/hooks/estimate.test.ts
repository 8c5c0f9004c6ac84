import assert from "node:assert/strict";
import { test } from "node:test";
import { clockSteps } from "../../test/builders/clock-step.ts";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createEstimate, type Estimate } from "./estimate.ts";

/** A store with a given number of waiting runs, which may take some time to count them. */
function countingStore(clock: ReturnType<typeof createFakeClock>, waiting = 0) {
  const seen = { waiting, counts: 0, takesMs: 0 };
  const store = {
    async countWaiting() {
      seen.counts++;
      const { waiting: now } = seen;
      if (seen.takesMs > 0) await clock.advance(seen.takesMs);
      return now;
    },
  };
  return { seen, store };
}

async function admitsAfterRecount(estimate: Estimate, runs: number): Promise<boolean> {
  await estimate.recount();
  return estimate.admits(runs);
}

test("the estimate is the last count plus what was admitted since", async () => {
  const clock = createFakeClock();
  const { store, seen } = countingStore(clock, 7);
  const estimate = createEstimate({
    count: store.countWaiting,
    clock,
    maxWaiting: () => 10,
    isShared: false,
  });
  await estimate.recount();
  assert.ok(estimate.admits(3));
  assert.ok(!estimate.admits(4));
  estimate.admitted(2);
  assert.ok(estimate.admits(1));
  assert.ok(!estimate.admits(2));
  assert.equal(seen.counts, 1);
});

test("a node with a store of its own counts again only before a refusal", async () => {
  const clock = createFakeClock();
  const { store, seen } = countingStore(clock);
  const estimate = createEstimate({
    count: store.countWaiting,
    clock,
    maxWaiting: () => 100,
    isShared: false,
  });
  await estimate.recount();
  estimate.admitted(100);
  await clock.advance(3_600_000);
  assert.ok(!estimate.admits(1));
  assert.equal(seen.counts, 1);
  seen.waiting = 1;
  assert.ok(await admitsAfterRecount(estimate, 99), "all but one have started");
  assert.equal(seen.counts, 2);
  assert.ok(estimate.admits(99));
  assert.ok(!(await admitsAfterRecount(estimate, 100)));
});

test("runs admitted during a count are added to it", async () => {
  const clock = createFakeClock();
  const counted = Promise.withResolvers<number>();
  const estimate = createEstimate({
    count: () => counted.promise,
    clock,
    maxWaiting: () => 10,
    isShared: false,
  });
  estimate.admitted(4);
  const found = [admitsAfterRecount(estimate, 1), admitsAfterRecount(estimate, 4)];
  estimate.admitted(3);
  counted.resolve(4);
  assert.deepEqual(await Promise.all(found), [true, false]);
});

test("the more runs were counted, the longer requests are refused by that count; counts never overlap", async () => {
  const clock = createFakeClock();
  const { store, seen } = countingStore(clock, 10_000);
  const estimate = createEstimate({
    count: store.countWaiting,
    clock,
    maxWaiting: () => 10_000,
    isShared: false,
  });
  await estimate.recount();
  await clock.advance(199);
  assert.ok(!(await admitsAfterRecount(estimate, 1)));
  assert.equal(seen.counts, 1);
  await clock.advance(1);
  seen.waiting = 9_999;
  assert.deepEqual(
    await Promise.all([
      admitsAfterRecount(estimate, 1),
      admitsAfterRecount(estimate, 1),
      admitsAfterRecount(estimate, 2),
    ]),
    [true, true, false],
  );
  assert.equal(seen.counts, 2);
});

test("a short queue is counted again at once, even when the last count was slow", async () => {
  const clock = createFakeClock();
  const { store, seen } = countingStore(clock, 1);
  seen.takesMs = 1000;
  const estimate = createEstimate({ count: store.countWaiting, clock, maxWaiting: () => 1, isShared: false });
  await estimate.recount();
  seen.waiting = 0;
  assert.ok(await admitsAfterRecount(estimate, 1));
});

test("on a shared store, a count is used for longer while the queue is less than half full", async () => {
  const clock = createFakeClock();
  const { store, seen } = countingStore(clock);
  const estimate = createEstimate({
    count: store.countWaiting,
    clock,
    maxWaiting: () => 100,
    isShared: true,
  });
  await estimate.recount();
  await clock.advance(9999);
  assert.ok(estimate.admits(50));
  assert.equal(seen.counts, 1);
  assert.ok(estimate.admits(51));
  assert.equal(seen.counts, 2);
});

test("on a shared store, 16 nodes are assumed to accept as much as this one", async () => {
  const clock = createFakeClock();
  const { store, seen } = countingStore(clock);
  const estimate = createEstimate({
    count: store.countWaiting,
    clock,
    maxWaiting: () => 100,
    isShared: true,
  });
  await estimate.recount();
  await clock.advance(10_000);
  assert.ok(estimate.admits(3));
  assert.equal(seen.counts, 1, "sixteen times three are less than half");
  estimate.admitted(3);
  seen.waiting = 3;
  assert.ok(estimate.admits(1));
  assert.equal(seen.counts, 2);
  await clock.advance(299_999);
  assert.ok(estimate.admits(1));
  assert.equal(seen.counts, 2);
  await clock.advance(1);
  assert.ok(estimate.admits(1));
  assert.equal(seen.counts, 3);
});

test("a slow count is used for longer, but a queue filled by other nodes is still noticed", async () => {
  const clock = createFakeClock();
  const { store, seen } = countingStore(clock, 10);
  seen.takesMs = 100;
  const estimate = createEstimate({
    count: store.countWaiting,
    clock,
    maxWaiting: () => 100,
    isShared: true,
  });
  await estimate.recount();
  estimate.admitted(3);
  await clock.advance(99_000);
  assert.ok(estimate.admits(1));
  assert.equal(seen.counts, 1);
  seen.waiting = 100;
  await clock.advance(1000);
  estimate.admits(1);
  assert.equal(seen.counts, 2);
  await clock.advance(0);
  assert.ok(!estimate.admits(1));
});

test("while the store is away, the last count is used", async () => {
  const clock = createFakeClock();
  let away = false;
  const count = () => (away ? Promise.reject(new Error("away")) : Promise.resolve(10));
  const estimate = createEstimate({
    count,
    clock,
    maxWaiting: () => 10,
    isShared: false,
  });
  await estimate.recount();
  away = true;
  await clock.advance(1000);
  assert.ok(!estimate.admits(1));
  assert.ok(!(await admitsAfterRecount(estimate, 1)));
});

for (const [step, stepMs] of clockSteps)
  for (const isShared of [false, true])
    test(`an empty queue takes runs when the wall clock was set ${step}, ${isShared ? "with" : "without"} other nodes`, async () => {
      const clock = createFakeClock();
      const { store } = countingStore(clock);
      const estimate = createEstimate({ count: store.countWaiting, clock, maxWaiting: () => 100, isShared });
      await estimate.recount();
      clock.step(stepMs);
      estimate.admitted(100);
      await clock.advance(10_000);
      assert.ok(await admitsAfterRecount(estimate, 1), "all that was admitted has ended since");
    });
