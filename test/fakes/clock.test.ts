import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "./clock.ts";

test("time moves only by `advance`", async () => {
  const clock = createFakeClock(1000);
  assert.equal(clock.now(), 1000);
  await clock.advance(5);
  assert.equal(clock.now(), 1005);
});

test("timers fire in order, each at its own time", async () => {
  const clock = createFakeClock(0);
  const fired: string[] = [];
  clock.after(20, () => fired.push(`late ${clock.now()}`));
  clock.after(10, () => fired.push(`early ${clock.now()}`));
  clock.after(10, () => fired.push(`second ${clock.now()}`));
  clock.after(31, () => fired.push("not yet"));
  await clock.advance(30);
  assert.deepEqual(fired, ["early 10", "second 10", "late 20"]);
  assert.equal(clock.waiting(), 1);
});

test("a timer set by a promise that a timer woke fires in the same advance", async () => {
  const clock = createFakeClock(0);
  let firedAt = 0;
  const sleep = (ms: number) => new Promise<void>((wake) => clock.after(ms, wake));
  const done = sleep(10)
    .then(() => sleep(10))
    .then(() => (firedAt = clock.now()));
  await clock.advance(25);
  await done;
  assert.equal(firedAt, 20);
});

test("a cancelled timer does not fire", async () => {
  const clock = createFakeClock(0);
  let fired = false;
  const cancelTimer = clock.after(10, () => (fired = true));
  cancelTimer();
  await clock.advance(20);
  assert.equal(fired, false);
});
