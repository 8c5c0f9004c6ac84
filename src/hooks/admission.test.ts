import assert from "node:assert/strict";
import { test } from "node:test";
import { clockSteps } from "../../test/builders/clock-step.ts";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { type Admission, createAdmission } from "./admission.ts";

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

async function admitsAfterRecount(admission: Admission, runs: number): Promise<boolean> {
  await admission.recount();
  return admission.admits(runs);
}

test("the estimate is the last count plus what was admitted since", async () => {
  const clock = createFakeClock();
  const { store, seen } = countingStore(clock, 7);
  const admission = createAdmission({ store, clock, maxWaiting: () => 10, isShared: false });
  await admission.recount();
  assert.ok(admission.admits(3));
  assert.ok(!admission.admits(4));
  admission.admitted(2);
  assert.ok(admission.admits(1));
  assert.ok(!admission.admits(2));
  assert.equal(seen.counts, 1);
});

test("a node with a store of its own counts again only before a refusal", async () => {
  const clock = createFakeClock();
  const { store, seen } = countingStore(clock);
  const admission = createAdmission({ store, clock, maxWaiting: () => 100, isShared: false });
  await admission.recount();
  admission.admitted(100);
  await clock.advance(3_600_000);
  assert.ok(!admission.admits(1));
  assert.equal(seen.counts, 1);
  seen.waiting = 1;
  assert.ok(await admitsAfterRecount(admission, 99), "all but one have started");
  assert.equal(seen.counts, 2);
  assert.ok(admission.admits(99));
  assert.ok(!(await admitsAfterRecount(admission, 100)));
});

test("runs admitted during a count are added to it", async () => {
  const clock = createFakeClock();
  const counted = Promise.withResolvers<number>();
  const admission = createAdmission({
    store: { countWaiting: () => counted.promise },
    clock,
    maxWaiting: () => 10,
    isShared: false,
  });
  admission.admitted(4);
  const found = [admitsAfterRecount(admission, 1), admitsAfterRecount(admission, 4)];
  admission.admitted(3);
  counted.resolve(4);
  assert.deepEqual(await Promise.all(found), [true, false]);
});

test("the more runs were counted, the longer requests are refused by that count; counts never overlap", async () => {
  const clock = createFakeClock();
  const { store, seen } = countingStore(clock, 10_000);
  const admission = createAdmission({ store, clock, maxWaiting: () => 10_000, isShared: false });
  await admission.recount();
  await clock.advance(199);
  assert.ok(!(await admitsAfterRecount(admission, 1)));
  assert.equal(seen.counts, 1);
  await clock.advance(1);
  seen.waiting = 9_999;
  assert.deepEqual(
    await Promise.all([
      admitsAfterRecount(admission, 1),
      admitsAfterRecount(admission, 1),
      admitsAfterRecount(admission, 2),
    ]),
    [true, true, false],
  );
  assert.equal(seen.counts, 2);
});

test("a short queue is counted again at once, even when the last count was slow", async () => {
  const clock = createFakeClock();
  const { store, seen } = countingStore(clock, 1);
  seen.takesMs = 1000;
  const admission = createAdmission({ store, clock, maxWaiting: () => 1, isShared: false });
  await admission.recount();
  seen.waiting = 0;
  assert.ok(await admitsAfterRecount(admission, 1));
});

test("on a shared store, a count is used for longer while the queue is less than half full", async () => {
  const clock = createFakeClock();
  const { store, seen } = countingStore(clock);
  const admission = createAdmission({ store, clock, maxWaiting: () => 100, isShared: true });
  await admission.recount();
  await clock.advance(9999);
  assert.ok(admission.admits(50));
  assert.equal(seen.counts, 1);
  assert.ok(admission.admits(51));
  assert.equal(seen.counts, 2);
});

test("on a shared store, 16 nodes are assumed to accept as much as this one", async () => {
  const clock = createFakeClock();
  const { store, seen } = countingStore(clock);
  const admission = createAdmission({ store, clock, maxWaiting: () => 100, isShared: true });
  await admission.recount();
  await clock.advance(10_000);
  assert.ok(admission.admits(3));
  assert.equal(seen.counts, 1, "sixteen times three are less than half");
  admission.admitted(3);
  seen.waiting = 3;
  assert.ok(admission.admits(1));
  assert.equal(seen.counts, 2);
  await clock.advance(299_999);
  assert.ok(admission.admits(1));
  assert.equal(seen.counts, 2);
  await clock.advance(1);
  assert.ok(admission.admits(1));
  assert.equal(seen.counts, 3);
});

test("a slow count is used for longer, but a queue filled by other nodes is still noticed", async () => {
  const clock = createFakeClock();
  const { store, seen } = countingStore(clock, 10);
  seen.takesMs = 100;
  const admission = createAdmission({ store, clock, maxWaiting: () => 100, isShared: true });
  await admission.recount();
  admission.admitted(3);
  await clock.advance(99_000);
  assert.ok(admission.admits(1));
  assert.equal(seen.counts, 1);
  seen.waiting = 100;
  await clock.advance(1000);
  admission.admits(1);
  assert.equal(seen.counts, 2);
  await clock.advance(0);
  assert.ok(!admission.admits(1));
});

test("while the store is away, the last count is used", async () => {
  const clock = createFakeClock();
  let away = false;
  const store = { countWaiting: () => (away ? Promise.reject(new Error("away")) : Promise.resolve(10)) };
  const admission = createAdmission({ store, clock, maxWaiting: () => 10, isShared: false });
  await admission.recount();
  away = true;
  await clock.advance(1000);
  assert.ok(!admission.admits(1));
  assert.ok(!(await admitsAfterRecount(admission, 1)));
});

for (const [step, stepMs] of clockSteps)
  for (const isShared of [false, true])
    test(`an empty queue takes runs when the wall clock was set ${step}, ${isShared ? "with" : "without"} other nodes`, async () => {
      const clock = createFakeClock();
      const { store } = countingStore(clock);
      const admission = createAdmission({ store, clock, maxWaiting: () => 100, isShared });
      await admission.recount();
      clock.step(stepMs);
      admission.admitted(100);
      await clock.advance(10_000);
      assert.ok(await admitsAfterRecount(admission, 1), "all that was admitted has ended since");
    });
