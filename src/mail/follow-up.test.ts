import assert from "node:assert/strict";
import { test } from "node:test";
import { createFollowUp } from "./follow-up.ts";

const create = () => createFollowUp((position, cursor) => Number(position) > Number(cursor));

test("a position behind the cursor of the next sync is followed up three times", () => {
  const followUp = create();
  followUp.hint("7");
  followUp.synced("5");
  assert.deepEqual([1, 2, 3, 4].map(followUp.nextMs), [2000, 5000, 15_000, null]);
});

test("a position that the cursor has passed needs no follow-up", () => {
  const followUp = create();
  followUp.hint("7");
  followUp.synced("7");
  assert.equal(followUp.nextMs(), null);
});

test("the cursor of the first sync after the hint decides, not that of a later one", () => {
  const followUp = create();
  followUp.hint("7");
  followUp.synced("5");
  followUp.synced("9");
  assert.equal(followUp.nextMs(), 2000);
});

test("a newer position starts over; an older one changes nothing", () => {
  const followUp = create();
  followUp.hint("7");
  followUp.synced("5");
  assert.equal(followUp.nextMs(), 2000);
  followUp.hint("6");
  assert.equal(followUp.nextMs(), 5000);
  followUp.hint("8");
  followUp.synced("5");
  assert.equal(followUp.nextMs(), 2000);
});

test("without a hint, or before the first cursor, there is no follow-up", () => {
  const followUp = create();
  assert.equal(followUp.nextMs(), null);
  followUp.hint("7");
  followUp.synced(null);
  assert.equal(followUp.nextMs(), null);
});
