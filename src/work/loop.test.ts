import assert from "node:assert/strict";
import { test } from "node:test";
import { settled } from "../../test/fakes/clock.ts";
import { setUpLoop } from "../../test/fakes/loop.ts";
import { silentLog, type Log } from "../core/log.ts";

test("handles in parallel up to its capacity, and goes on when a slot is free", async () => {
  const { loop, queue, started, end } = setUpLoop();
  queue.push("a", "b", "c");
  loop.start();
  await settled();
  assert.deepEqual(started, ["a", "b"]);
  assert.equal(loop.busy(), 2);
  end("b");
  await settled();
  assert.deepEqual(started, ["a", "b", "c"]);
});

test("a slot freed early is filled at once; unfinished items are never more than twice the slots", async () => {
  const frees: (() => void)[] = [];
  const ends: (() => void)[] = [];
  const { loop, queue, claims } = setUpLoop({
    handle: (_item, freeSlot) => {
      frees.push(freeSlot);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.push(resolve);
      return promise;
    },
  });
  queue.push("a", "b", "c", "d", "e");
  loop.start();
  await settled();
  assert.equal(frees.length, 2);
  frees[0]!();
  frees[0]!();
  await settled();
  assert.equal(frees.length, 3, "one slot, however often it is freed");
  for (const free of frees) free();
  await settled();
  assert.equal(frees.length, 4, "four ends are not stored yet");
  assert.equal(loop.busy(), 4);
  ends[0]!();
  await settled();
  assert.equal(frees.length, 5);
  assert.ok(claims.every((limit) => limit > 0));
  for (const end of ends) end();
  await loop.drain();
  assert.equal(loop.busy(), 0);
});

test("claims again when kicked, and at the latest after the poll time", async () => {
  const { loop, clock, queue, started } = setUpLoop();
  loop.start();
  await settled();
  queue.push("a");
  loop.kick();
  await settled();
  assert.deepEqual(started, ["a"]);
  queue.push("b");
  await clock.advance(999);
  assert.deepEqual(started, ["a"]);
  await clock.advance(1);
  assert.deepEqual(started, ["a", "b"]);
});

test("claims again when the next item is due", async () => {
  const { loop, clock, queue, started, seen } = setUpLoop();
  seen.nextInMs = 250;
  loop.start();
  await settled();
  queue.push("a");
  await clock.advance(249);
  assert.deepEqual(started, []);
  await clock.advance(1);
  assert.deepEqual(started, ["a"]);
});

test("never spins when the next item is overdue", async () => {
  const { loop, clock, claims, seen } = setUpLoop();
  seen.nextInMs = -1000;
  loop.start();
  await clock.advance(100);
  assert.ok(claims.length <= 11);
});

test("a kick during a claim causes another claim", async () => {
  const first = Promise.withResolvers<void>();
  const results = [[], ["late"]];
  let claims = 0;
  const { loop, started } = setUpLoop({
    claim: async () => {
      if (claims++ === 0) await first.promise;
      return { claimed: results.shift() ?? [], nextInMs: null };
    },
  });
  loop.start();
  loop.kick();
  loop.kick();
  first.resolve();
  await settled();
  assert.deepEqual(started, ["late"]);
  assert.equal(claims, 2);
});

test("backs off while the store is unavailable, logs it once, and recovers by itself", async () => {
  const lines: string[] = [];
  const log: Log = { ...silentLog, warn: (line) => lines.push(line), info: (line) => lines.push(line) };
  const { loop, clock, queue, started, claims, seen } = setUpLoop({ log, random: () => 0.999 });
  seen.fault = new Error("gone");
  loop.start();
  await clock.advance(60_000);
  assert.ok(claims.length > 5 && claims.length < 30, String(claims.length));
  const before = claims.length;
  loop.kick();
  await settled();
  assert.equal(claims.length, before, "a kick does not hammer a store that is away");
  seen.fault = null;
  queue.push("a");
  await clock.advance(5000);
  assert.deepEqual(started, ["a"]);
  assert.deepEqual(lines, ["things cannot be claimed now", "things can be claimed again"]);
});

test("a fault in a handler is logged and frees its slot", async () => {
  const kinds: (string | undefined)[] = [];
  const log: Log = { ...silentLog, error: (_line, fields) => kinds.push(fields?.kind) };
  const { loop, queue } = setUpLoop({ log, handle: async () => Promise.reject(new TypeError("secret")) });
  queue.push("a");
  loop.start();
  await settled();
  assert.deepEqual(kinds, ["TypeError"]);
  assert.equal(loop.busy(), 0);
});

test("tick makes one claim and resolves when it was handled", async () => {
  const { loop, queue, started, end, claims } = setUpLoop();
  queue.push("a");
  const ticked = loop.tick();
  await settled();
  end("a");
  await ticked;
  assert.deepEqual([started, claims], [["a"], [2]]);
});

test("drain claims no more and waits for unfinished items, also for those that a running claim brings", async () => {
  const claim = Promise.withResolvers<void>();
  const { loop, started, end, clock } = setUpLoop({
    claim: async () => {
      await claim.promise;
      return { claimed: ["a"], nextInMs: null };
    },
  });
  loop.start();
  let drained = false;
  const done = loop.drain().then(() => (drained = true));
  claim.resolve();
  await settled();
  assert.deepEqual([started, drained], [["a"], false]);
  end("a");
  await done;
  await clock.advance(10_000);
  assert.deepEqual(started, ["a"]);
  assert.equal(clock.waiting(), 0);
});

test("a raised capacity takes effect", async () => {
  let capacity = 0;
  const { loop, clock, queue, started } = setUpLoop({ capacity: () => capacity });
  queue.push("a");
  loop.start();
  await clock.advance(1000);
  assert.deepEqual(started, []);
  capacity = 1;
  await clock.advance(1000);
  assert.deepEqual(started, ["a"]);
});

test("calls `onFull` when it is full and there may be more; a poll does not", async () => {
  let full = 0;
  const { loop, queue, end } = setUpLoop({ onFull: () => full++ });
  queue.push("a");
  loop.start();
  await settled();
  assert.equal(full, 0, "a slot is left");
  queue.push("b");
  loop.kick();
  await settled();
  assert.equal(full, 1, "the last slot is taken");
  loop.kick();
  assert.equal(full, 2, "it has no slot for the new items");
  loop.poll();
  await settled();
  assert.equal(full, 2);
  end("a");
  end("b");
  await settled();
  assert.equal(full, 2, "nothing more was there");
});
