import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createRoom } from "./room.ts";

test("counts what is stored and what was taken since, and looks again each second", async () => {
  const clock = createFakeClock();
  let unfinished = 7;
  let counts = 0;
  const store = {
    countUnfinished: () => {
      counts++;
      return Promise.resolve(unfinished);
    },
  };
  const room = createRoom({ store, clock, most: () => 10, isShared: false });
  await room.refresh();
  assert.ok(room.has(3));
  assert.ok(!room.has(4));
  room.taken(2);
  assert.ok(room.has(1));
  assert.ok(!room.has(2));
  assert.equal(counts, 1);

  unfinished = 9;
  await clock.advance(1000);
  room.has(1);
  await clock.advance(0);
  assert.equal(counts, 2);
  assert.ok(room.has(1), "the two that were taken are among the nine");
  assert.ok(!room.has(2));
});

test("far from full, it does not look again at once, and does when it fills up", async () => {
  const clock = createFakeClock();
  let counts = 0;
  const store = { countUnfinished: () => Promise.resolve(counts++) };
  const room = createRoom({ store, clock, most: () => 100, isShared: true });
  await room.refresh();
  await clock.advance(9999);
  assert.ok(room.has(50));
  assert.equal(counts, 1);
  assert.ok(room.has(51));
  assert.equal(counts, 2);
});

test("far from full, others are thought to have taken as much, and seldom looked after while that is little", async () => {
  const clock = createFakeClock();
  let counts = 0;
  const store = { countUnfinished: () => Promise.resolve(counts++) };
  const room = createRoom({ store, clock, most: () => 100, isShared: true });
  await room.refresh();
  await clock.advance(10_000);
  assert.ok(room.has(3));
  assert.equal(counts, 1, "sixteen times three are not half of it");
  room.taken(3);
  assert.ok(room.has(1));
  assert.equal(counts, 2);
  await clock.advance(299_999);
  assert.ok(room.has(1));
  assert.equal(counts, 2);
  await clock.advance(1);
  assert.ok(room.has(1));
  assert.equal(counts, 3);
});

test("far from full and alone, it does not look again before it has accepted half of what may wait", async () => {
  const clock = createFakeClock();
  let counts = 0;
  const store = { countUnfinished: () => Promise.resolve(counts++) };
  const room = createRoom({ store, clock, most: () => 100, isShared: false });
  await room.refresh();
  await clock.advance(3_600_000);
  assert.ok(room.has(1));
  room.taken(50);
  assert.equal(counts, 1);
  assert.ok(room.has(1));
  assert.equal(counts, 2);
  await clock.advance(0);
  assert.ok(room.has(98), "all but one have ended");
});

test("a count that took long stands longer, but never so long that a drained queue goes on refusing", async () => {
  const clock = createFakeClock();
  let counts = 0;
  let waiting = 10;
  const store = {
    countUnfinished: async () => {
      counts++;
      await clock.advance(100);
      return waiting;
    },
  };
  const room = createRoom({ store, clock, most: () => 100, isShared: true });
  await room.refresh();
  room.taken(3);
  await clock.advance(99_000);
  assert.ok(room.has(1));
  assert.equal(counts, 1);
  waiting = 100;
  await clock.advance(1000);
  room.has(1);
  assert.equal(counts, 2);
  await clock.advance(0);
  assert.ok(!room.has(1));
  waiting = 0;
  await clock.advance(2000);
  assert.ok(!room.has(1));
  await clock.advance(0);
  assert.equal(counts, 3);
  assert.ok(room.has(1));
});

test("a store that is away leaves the last count standing", async () => {
  const clock = createFakeClock();
  let away = false;
  const store = { countUnfinished: () => (away ? Promise.reject(new Error("away")) : Promise.resolve(10)) };
  const room = createRoom({ store, clock, most: () => 10, isShared: false });
  await room.refresh();
  away = true;
  await clock.advance(1000);
  assert.ok(!room.has(1));
});
