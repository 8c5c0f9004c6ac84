import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock, settled, type FakeClock } from "../../test/fakes/clock.ts";
import { silentLog, type Log } from "../core/log.ts";
import { createLoop, type LoopOptions } from "./loop.ts";

/** A queue in memory, and handlers that wait until the test ends them. */
function setUp(more: Partial<LoopOptions<string>> = {}, clock: FakeClock = createFakeClock(0)) {
  const queue: string[] = [];
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const claims: number[] = [];
  const seen = { nextInMs: null as number | null, fault: null as Error | null };
  const loop = createLoop<string>({
    name: "things",
    clock,
    log: silentLog,
    random: () => 0,
    capacity: () => 2,
    claim: async (limit) => {
      claims.push(limit);
      if (seen.fault) throw seen.fault;
      return { claimed: queue.splice(0, limit), nextInMs: seen.nextInMs };
    },
    handle: (item) => {
      started.push(item);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(item, resolve);
      return promise;
    },
    ...more,
  });
  return { loop, clock, queue, started, claims, seen, end: (item: string) => ends.get(item)!() };
}

test("handles in parallel up to its capacity, and goes on when a slot is free", async () => {
  const { loop, queue, started, end } = setUp();
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
  const { loop, queue, claims } = setUp({
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
  const { loop, clock, queue, started } = setUp();
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
  const { loop, clock, queue, started, seen } = setUp();
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
  const { loop, clock, claims, seen } = setUp();
  seen.nextInMs = -1000;
  loop.start();
  await clock.advance(100);
  assert.ok(claims.length <= 11);
});

test("a kick during a claim causes another claim", async () => {
  const first = Promise.withResolvers<void>();
  const results = [[], ["late"]];
  let claims = 0;
  const { loop, started } = setUp({
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

test("backs off while the store is away, says so once, and recovers by itself", async () => {
  const lines: string[] = [];
  const log: Log = { ...silentLog, warn: (line) => lines.push(line), info: (line) => lines.push(line) };
  const { loop, clock, queue, started, claims, seen } = setUp({ log, random: () => 0.999 });
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
  const { loop, queue } = setUp({ log, handle: async () => Promise.reject(new TypeError("secret")) });
  queue.push("a");
  loop.start();
  await settled();
  assert.deepEqual(kinds, ["TypeError"]);
  assert.equal(loop.busy(), 0);
});

test("tick makes one claim and resolves when it was handled", async () => {
  const { loop, queue, started, end, claims } = setUp();
  queue.push("a");
  const ticked = loop.tick();
  await settled();
  end("a");
  await ticked;
  assert.deepEqual([started, claims], [["a"], [2]]);
});

test("drain claims no more and waits for unfinished items, also for those that a running claim brings", async () => {
  const claim = Promise.withResolvers<void>();
  const { loop, started, end, clock } = setUp({
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

test("a capacity that was raised is used", async () => {
  let capacity = 0;
  const { loop, clock, queue, started } = setUp({ capacity: () => capacity });
  queue.push("a");
  loop.start();
  await clock.advance(1000);
  assert.deepEqual(started, []);
  capacity = 1;
  await clock.advance(1000);
  assert.deepEqual(started, ["a"]);
});

test("tells when it is full and there may be more; a poll is not passed on", async () => {
  let full = 0;
  const { loop, queue, end } = setUp({ onFull: () => full++ });
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

test("a slot can be reserved for an item that is not stored yet, while any is free", async () => {
  const { loop, started, claims, end } = setUp({ opensNext: () => false });
  assert.equal(loop.reserve(), null, "not before it starts");
  loop.start();
  await settled();
  const [first, second] = [loop.reserve(), loop.reserve()];
  assert.ok(first && second);
  assert.equal(loop.reserve(), null);
  first.take("a");
  await settled();
  assert.deepEqual(started, ["a"]);
  assert.equal(loop.reserve(), null);
  second.free();
  const third = loop.reserve();
  assert.ok(third);
  third.free();
  end("a");
  await settled();
  assert.equal(claims.length, 1, "nothing had to be claimed");
  assert.equal(loop.busy(), 0);
});

test("stored items go first: nothing is reserved while a claim may have left some", async () => {
  const { loop, queue, started, end } = setUp();
  queue.push("a", "b", "c");
  loop.start();
  await settled();
  assert.equal(loop.reserve(), null);
  end("a");
  assert.equal(loop.reserve(), null, "c waits for that one");
  await settled();
  assert.deepEqual(started, ["a", "b", "c"]);
  end("b");
  end("c");
  await settled();
  assert.ok(loop.reserve());
});

test("slots that a running claim may fill are not reserved", async () => {
  const claim = Promise.withResolvers<{ claimed: string[]; nextInMs: null }>();
  const { loop, started } = setUp({ claim: () => claim.promise });
  loop.start();
  assert.equal(loop.reserve(), null);
  claim.resolve({ claimed: ["a"], nextInMs: null });
  await settled();
  assert.deepEqual(started, ["a"]);
  assert.ok(loop.reserve());
  assert.equal(loop.reserve(), null);
});

test("drain waits for a reserved slot, and its item is handled", async () => {
  const { loop, started, end } = setUp();
  loop.start();
  await settled();
  const slot = loop.reserve();
  let drained = false;
  const draining = loop.drain().then(() => (drained = true));
  await settled();
  assert.equal(drained, false);
  assert.equal(loop.reserve(), null);
  slot?.take("a");
  await settled();
  assert.deepEqual(started, ["a"]);
  end("a");
  await draining;
});

test("a reserved slot that is freed goes to an item that waited for it", async () => {
  const { loop, queue, started } = setUp({ capacity: () => 1 });
  loop.start();
  await settled();
  const slot = loop.reserve();
  queue.push("a");
  loop.kick();
  await settled();
  assert.deepEqual(started, []);
  slot?.free();
  await settled();
  assert.deepEqual(started, ["a"]);
});
