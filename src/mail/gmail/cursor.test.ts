import assert from "node:assert/strict";
import { test } from "node:test";
import { isNewer, moveOn, parseCursor, startOf, writeCursor } from "./cursor.ts";

const high = "18446744073709551614";
const higher = "18446744073709551615";

test("a bare history id is a start position at once", () => {
  assert.equal(startOf(parseCursor(high), Date.now()), high);
});

test("a position is started from only when it is a minute old", () => {
  const at = 1_800_000_000_000;
  const first = moveOn(parseCursor("100"), "107", at);
  assert.deepEqual(parseCursor(writeCursor(first)), { from: "100", reported: "107", reportedAt: at });
  assert.equal(startOf(first, at + 59_999), "100");
  assert.deepEqual(moveOn(first, "109", at + 30_000), first);
  assert.equal(startOf(first, at + 60_000), "107");
  const second = moveOn(first, "109", at + 60_000);
  assert.deepEqual(second, { from: "107", reported: "109", reportedAt: at + 60_000 });
});

test("the position never goes back, and a clock that went back does not stop it", () => {
  const at = 1_800_000_000_000;
  const cursor = { from: "100", reported: "107", reportedAt: at };
  assert.equal(moveOn(cursor, "50", at + 60_000).reported, "107");
  assert.equal(startOf(cursor, at - 3_600_000), "107");
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
