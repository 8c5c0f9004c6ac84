import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createRandom, median, medianRatio, quantile } from "./statistics.ts";

describe("statistics", () => {
  it("finds the value that a share of the values is below, in any order", () => {
    const values = Array.from({ length: 1000 }, (_, at) => (at * 7) % 1000);
    assert.equal(quantile(values, 0.99), 990);
    assert.equal(quantile(values, 0), 0);
    assert.equal(quantile(values, 1), 999);
    assert.equal(median([3, 1, 2]), 2);
    assert.equal(median([4, 1, 3, 2]), 2.5);
  });

  it("is not a number for no values", () => {
    assert.ok(Number.isNaN(median([])));
  });

  it("takes the ratio of each pair before the median", () => {
    assert.equal(medianRatio([10, 100, 3], [10, 50, 1]), 2);
  });

  it("draws the same numbers from the same seed, between 0 and 1", () => {
    const [one, two, other] = [createRandom(7), createRandom(7), createRandom(8)];
    const drawn = Array.from({ length: 1000 }, () => one());
    assert.deepEqual(
      drawn,
      Array.from({ length: 1000 }, () => two()),
    );
    assert.notEqual(drawn[0], other());
    assert.ok(drawn.every((value) => value >= 0 && value < 1));
    assert.ok(Math.abs(drawn.reduce((sum, value) => sum + value, 0) / 1000 - 0.5) < 0.05);
  });
});
