import assert from "node:assert/strict";
import test from "node:test";
import { assertLinear } from "../../test/support/growth.ts";
import { createThrottle } from "./throttle.ts";

function setUp(limits: { max: number; windowSeconds: number; capacity?: number }) {
  const clock = { time: 1_000_000, monotonic: () => clock.time };
  return { clock, throttle: createThrottle(limits, clock) };
}

const failTimes = (throttle: { fail(address: string): number | null }, address: string, times: number) =>
  Array.from({ length: times }, () => throttle.fail(address));

test("twenty failures are allowed; the next has to wait for the end of the window", () => {
  const { clock, throttle } = setUp({ max: 20, windowSeconds: 60 });
  assert.equal(throttle.fail("a"), null);
  clock.time += 10_000;
  assert.deepEqual(failTimes(throttle, "a", 19), Array(19).fill(null));
  assert.equal(throttle.fail("a"), 50);
  assert.equal(throttle.fail("b"), null);
  clock.time += 49_999;
  assert.equal(throttle.fail("a"), 1);
  clock.time += 1;
  assert.deepEqual(failTimes(throttle, "a", 20), Array(20).fill(null));
  assert.equal(throttle.fail("a"), 60);
});

test("whether an address is limited is asked without counting", () => {
  const { clock, throttle } = setUp({ max: 2, windowSeconds: 10 });
  assert.equal(throttle.limited("a"), null);
  assert.equal(throttle.size(), 0);
  throttle.fail("a");
  assert.equal(throttle.limited("a"), null);
  throttle.fail("a");
  assert.equal(throttle.limited("a"), 10);
  assert.equal(throttle.fail("a"), 10);
  throttle.limit("b", 4000);
  assert.equal(throttle.limited("b"), 4);
  clock.time += 10_000;
  assert.deepEqual([throttle.limited("a"), throttle.limited("b")], [null, null]);
});

test("failures while limited do not make the wait longer", () => {
  const { clock, throttle } = setUp({ max: 1, windowSeconds: 10 });
  failTimes(throttle, "a", 500);
  clock.time += 9_000;
  assert.equal(throttle.fail("a"), 1);
  clock.time += 1_000;
  assert.equal(throttle.fail("a"), null);
});

test("a full table forgets the oldest counting address, never a limited one", () => {
  const { throttle } = setUp({ max: 2, windowSeconds: 60, capacity: 3 });
  failTimes(throttle, "limited", 3);
  failTimes(throttle, "old", 2);
  failTimes(throttle, "young", 2);
  assert.equal(throttle.fail("new"), null);
  assert.equal(throttle.size(), 3);
  assert.notEqual(throttle.fail("limited"), null);
  assert.notEqual(throttle.fail("young"), null);
  assert.equal(throttle.fail("old"), null, "was forgotten");
});

test("in a table full of limited addresses the others share one entry", () => {
  const { clock, throttle } = setUp({ max: 1, windowSeconds: 60, capacity: 2 });
  failTimes(throttle, "a", 2);
  clock.time += 30_000;
  failTimes(throttle, "b", 2);
  assert.equal(throttle.fail("c"), null);
  assert.equal(throttle.fail("d"), 60);
  assert.equal(throttle.fail("e"), 60);
  assert.equal(throttle.size(), 2);
  assert.equal(throttle.fail("a"), 30);
  clock.time += 30_000;
  assert.equal(throttle.fail("f"), null, "the entry of a is free again");
  assert.equal(throttle.fail("b"), 30);
});

test("a flood of addresses stays bounded, and what each costs does not grow with the table", () => {
  assertLinear("a flood", 2500, (capacity) => {
    const { clock, throttle } = setUp({ max: 20, windowSeconds: 60, capacity });
    for (let each = 0; each < 30 * capacity; each++) {
      if (each % 10 === 0) clock.time++;
      throttle.fail(`address ${each}`);
    }
    assert.ok(throttle.size() > 0.9 * capacity && throttle.size() <= capacity);
  });
});

test("neither does it in a flood onto a table full of limited addresses", () => {
  assertLinear("a flood", 2500, (capacity) => {
    const { clock, throttle } = setUp({ max: 0, windowSeconds: 60, capacity });
    for (let each = 0; each < 30 * capacity; each++) {
      if (each % 10 === 0) clock.time++;
      assert.notEqual(throttle.fail(`address ${each}`), null);
    }
    assert.ok(throttle.size() <= capacity);
  });
});

test("a clock that is set back blocks an address for one window at most", () => {
  const { clock, throttle } = setUp({ max: 1, windowSeconds: 10 });
  failTimes(throttle, "a", 2);
  clock.time -= 3_600_000;
  assert.equal(throttle.fail("a"), null);
  assert.equal(throttle.fail("a"), 10);
});

test("new limits apply to the next failure", () => {
  const { throttle } = setUp({ max: 5, windowSeconds: 60 });
  failTimes(throttle, "a", 3);
  throttle.configure({ max: 3, windowSeconds: 60 });
  assert.equal(throttle.fail("a"), 60);
  throttle.configure({ max: 10, windowSeconds: 60 });
  assert.equal(throttle.fail("b"), null);
});
