import assert from "node:assert/strict";
import { test } from "node:test";
import { backOffMs, retryWaitMs } from "./retry.ts";

const backOff = { firstMs: 1000, longestMs: 60_000 };
const hour = 3_600_000;

test("no wait that is asked for goes below our own back-off, and none above an hour", () => {
  for (const asked of [0, -0, -1, -1e12, 0.3335, 333.5, Number.NaN, -Infinity, null, undefined])
    for (const attempt of [1, 2, 7, 1000])
      for (const random of [0, 0.5, 0.999]) {
        const wait = retryWaitMs(attempt, asked, backOff, random);
        assert.ok(Number.isInteger(wait) && wait >= 500 && wait <= 60_000, `${asked} ${attempt}: ${wait}`);
      }
  for (const asked of [1e9, 1e12, Number.MAX_VALUE, Infinity])
    for (const random of [0, 0.999]) {
      const wait = retryWaitMs(1, asked, backOff, random);
      assert.ok(wait >= hour && wait <= hour + 1000, `${asked}: ${wait}`);
    }
});

test("a wait that is asked for is kept, is whole, and is spread by up to a second", () => {
  assert.equal(retryWaitMs(1, 7000, backOff, 0), 7000);
  assert.equal(retryWaitMs(1, 7000.25, backOff, 0), 7001);
  assert.equal(retryWaitMs(1, 7000, backOff, 0.5), 7500);
  assert.equal(retryWaitMs(1, 600, backOff, 0.5), 900);
});

test("where the other side always asks for the same moment, waits grow all the same", () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => retryWaitMs(attempt, 1000, backOff, 0.5));
  assert.deepEqual(
    waits,
    waits.toSorted((a, b) => a - b),
  );
  assert.ok((waits.at(-1) ?? 0) > 10 * (waits[0] ?? 0), waits.join());
});

test("a back-off grows by its factor, and can have half of each ceiling as its least", () => {
  const known = { firstMs: 1000, factor: 3, longestMs: 20_000, half: true };
  const waits = (random: number) => [1, 2, 3, 4, 9].map((attempt) => backOffMs(attempt, known, random));
  assert.deepEqual(waits(0), [500, 1500, 4500, 10_000, 10_000]);
  assert.deepEqual(waits(1), [1000, 3000, 9000, 20_000, 20_000]);
  assert.equal(backOffMs(4, { ...known, half: false }, 0), 500);
});
