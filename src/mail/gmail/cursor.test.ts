import assert from "node:assert/strict";
import { test } from "node:test";
import { clockSteps } from "../../../test/builders/clock-step.ts";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { createSettling, isNewer, moveOn, parseCursor, startOf, writeCursor } from "./cursor.ts";

const high = "18446744073709551614";
const higher = "18446744073709551615";

test("a bare history id is a start position at once", () => {
  assert.equal(createSettling(createFakeClock()).isSettled(high), true);
  assert.equal(startOf(parseCursor(high), true), high);
});

test("a position is started from only when it is settled", () => {
  const at = 1_800_000_000_000;
  const first = moveOn(parseCursor("100"), "107", true, at);
  assert.deepEqual(parseCursor(writeCursor(first)), { from: "100", reported: "107", reportedAt: at });
  assert.equal(startOf(first, false), "100");
  assert.deepEqual(moveOn(first, "109", false, at + 30_000), first);
  assert.equal(startOf(first, true), "107");
  const second = moveOn(first, "109", true, at + 60_000);
  assert.deepEqual(second, { from: "107", reported: "109", reportedAt: at + 60_000 });
  assert.equal(moveOn(first, "50", true, at).reported, "107", "it never goes back");
});

for (const [step, stepMs] of clockSteps)
  test(`a position is settled a minute after this process got to know it, also when the clock is set ${step}`, async () => {
    const clock = createFakeClock();
    const settling = createSettling(clock);
    settling.note("100/107@1800000000000");
    await clock.advance(30_000);
    clock.step(stepMs);
    assert.equal(settling.isSettled("100/107@1800000000000"), false);
    await clock.advance(29_999);
    assert.equal(settling.isSettled("100/107@1800000000000"), false);
    await clock.advance(1);
    assert.equal(settling.isSettled("100/107@1800000000000"), true);
    assert.equal(settling.isSettled("107/109@1700000000000"), false, "another node has moved it on");
  });

test("ids of any size are compared as numbers", () => {
  assert.equal(isNewer(higher, high), true);
  assert.equal(isNewer(high, higher), false);
  assert.equal(isNewer(high, high), false);
  assert.equal(isNewer("1000", "999/999@1"), true);
  assert.equal(isNewer("1000", "999/1001@1"), false);
  for (const nonsense of ["", "-1", "1e30", "abc", "1".repeat(40)])
    assert.equal(isNewer(nonsense, "1"), false);
});
