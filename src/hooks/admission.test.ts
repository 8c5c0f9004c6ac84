import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createRoom } from "./admission.ts";

/** A store in which so many wait, as the test says, and that takes its time to count them. */
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

test("what is stored and what was taken since is counted together", async () => {
  const clock = createFakeClock();
  const { store, seen } = countingStore(clock, 7);
  const room = createRoom({ store, clock, most: () => 10, isShared: false });
  await room.refresh();
  assert.ok(room.has(3));
  assert.ok(!room.has(4));
  room.taken(2);
  assert.ok(room.has(1));
  assert.ok(!room.has(2));
  assert.equal(seen.counts, 1);
});

test("alone, it counts again only before it says no", async () => {
  const clock = createFakeClock();
  const { store, seen } = countingStore(clock);
  const room = createRoom({ store, clock, most: () => 100, isShared: false });
  await room.refresh();
  room.taken(100);
  await clock.advance(3_600_000);
  assert.ok(!room.has(1));
  assert.equal(seen.counts, 1);
  seen.waiting = 1;
  assert.ok(await room.find(99), "all but one have begun");
  assert.equal(seen.counts, 2);
  assert.ok(room.has(99));
  assert.ok(!(await room.find(100)));
});

test("what is taken while it counts is not forgotten", async () => {
  const clock = createFakeClock();
  const counted = Promise.withResolvers<number>();
  const room = createRoom({
    store: { countWaiting: () => counted.promise },
    clock,
    most: () => 10,
    isShared: false,
  });
  room.taken(4);
  const found = [room.find(1), room.find(4)];
  room.taken(3);
  counted.resolve(4);
  assert.deepEqual(await Promise.all(found), [true, false]);
});

test("who is refused counts the longer after the last count the more that counted, and never beside another", async () => {
  const clock = createFakeClock();
  const { store, seen } = countingStore(clock, 10_000);
  const room = createRoom({ store, clock, most: () => 10_000, isShared: false });
  await room.refresh();
  await clock.advance(199);
  assert.ok(!(await room.find(1)));
  assert.equal(seen.counts, 1);
  await clock.advance(1);
  seen.waiting = 9_999;
  assert.deepEqual(await Promise.all([room.find(1), room.find(1), room.find(2)]), [true, true, false]);
  assert.equal(seen.counts, 2);
});

test("a few are counted again at once, also when the last count was slow", async () => {
  const clock = createFakeClock();
  const { store, seen } = countingStore(clock, 1);
  seen.takesMs = 1000;
  const room = createRoom({ store, clock, most: () => 1, isShared: false });
  await room.refresh();
  seen.waiting = 0;
  assert.ok(await room.find(1));
});

test("shared and far from full, it does not look again at once, and does when it fills up", async () => {
  const clock = createFakeClock();
  const { store, seen } = countingStore(clock);
  const room = createRoom({ store, clock, most: () => 100, isShared: true });
  await room.refresh();
  await clock.advance(9999);
  assert.ok(room.has(50));
  assert.equal(seen.counts, 1);
  assert.ok(room.has(51));
  assert.equal(seen.counts, 2);
});

test("shared, others are thought to have taken as much, and seldom looked after while that is little", async () => {
  const clock = createFakeClock();
  const { store, seen } = countingStore(clock);
  const room = createRoom({ store, clock, most: () => 100, isShared: true });
  await room.refresh();
  await clock.advance(10_000);
  assert.ok(room.has(3));
  assert.equal(seen.counts, 1, "sixteen times three are not half of it");
  room.taken(3);
  seen.waiting = 3;
  assert.ok(room.has(1));
  assert.equal(seen.counts, 2);
  await clock.advance(299_999);
  assert.ok(room.has(1));
  assert.equal(seen.counts, 2);
  await clock.advance(1);
  assert.ok(room.has(1));
  assert.equal(seen.counts, 3);
});

test("a count that took long stands longer, but never so long that a queue filled by others is not seen", async () => {
  const clock = createFakeClock();
  const { store, seen } = countingStore(clock, 10);
  seen.takesMs = 100;
  const room = createRoom({ store, clock, most: () => 100, isShared: true });
  await room.refresh();
  room.taken(3);
  await clock.advance(99_000);
  assert.ok(room.has(1));
  assert.equal(seen.counts, 1);
  seen.waiting = 100;
  await clock.advance(1000);
  room.has(1);
  assert.equal(seen.counts, 2);
  await clock.advance(0);
  assert.ok(!room.has(1));
});

test("a store that is away leaves the last count standing", async () => {
  const clock = createFakeClock();
  let away = false;
  const store = { countWaiting: () => (away ? Promise.reject(new Error("away")) : Promise.resolve(10)) };
  const room = createRoom({ store, clock, most: () => 10, isShared: false });
  await room.refresh();
  away = true;
  await clock.advance(1000);
  assert.ok(!room.has(1));
  assert.ok(!(await room.find(1)));
});
