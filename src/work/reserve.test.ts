// Slots that are reserved for items which are about to be stored.
import assert from "node:assert/strict";
import { test } from "node:test";
import { settled } from "../../test/fakes/clock.ts";
import { setUpLoop } from "../../test/fakes/loop.ts";

test("a slot can be reserved for an item that is not stored yet, while any is free", async () => {
  const { loop, started, claims, end } = setUpLoop({ opensNext: () => false });
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
  const { loop, queue, started, end } = setUpLoop();
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
  const { loop, started } = setUpLoop({ claim: () => claim.promise });
  loop.start();
  assert.equal(loop.reserve(), null);
  claim.resolve({ claimed: ["a"], nextInMs: null });
  await settled();
  assert.deepEqual(started, ["a"]);
  assert.ok(loop.reserve());
  assert.equal(loop.reserve(), null);
});

test("drain waits for a reserved slot, and its item is handled", async () => {
  const { loop, started, end } = setUpLoop();
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
  const { loop, queue, started } = setUpLoop({ capacity: () => 1 });
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
