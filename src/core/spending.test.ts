import assert from "node:assert/strict";
import { test } from "node:test";
import { dayOf, limitReached, nextDay } from "./spending.ts";

const spent = { hook: "x", day: "2026-01-31", runs: 2, inputTokens: 60, outputTokens: 40, cost: 0.5 };
const wide = { runsPerDay: 10, tokensPerDay: 1000, moneyPerDay: null };

test("a limit is reached when there is nothing left of it", () => {
  assert.equal(limitReached(spent, wide, true), null);
  assert.equal(limitReached(spent, { ...wide, runsPerDay: 2 }, true), "2 runs a day");
  assert.equal(limitReached(spent, { ...wide, runsPerDay: 2 }, false), null);
  assert.equal(limitReached(spent, { ...wide, tokensPerDay: 100 }, false), "100 tokens a day");
  assert.equal(limitReached(spent, { ...wide, tokensPerDay: 101 }, true), null);
  assert.equal(limitReached(spent, { ...wide, moneyPerDay: 0.5 }, true), "0.5 of money a day");
  assert.equal(limitReached({ ...spent, runs: 0 }, { ...wide, runsPerDay: 0 }, true), "0 runs a day");
});

test("days are those of UTC", () => {
  const late = Date.UTC(2026, 0, 31, 23, 59, 59, 999);
  assert.equal(dayOf(late), "2026-01-31");
  assert.equal(nextDay(late), Date.UTC(2026, 1, 1));
  assert.equal(nextDay(Date.UTC(2026, 1, 1)), Date.UTC(2026, 1, 2));
});
