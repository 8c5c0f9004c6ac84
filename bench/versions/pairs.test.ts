import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pairedRow, takePairs } from "./pairs.ts";

describe("pairs of turns", () => {
  it("changes the order with every pair, and leaves out the longer pair that warms up", async () => {
    const turns: string[] = [];
    const rest = async (): Promise<void> => {};
    const pairs = await takePairs(
      2,
      async (side, pair, length) => {
        turns.push(`${side} ${pair}${length > 1 ? " longer" : ""}`);
        return turns.length;
      },
      rest,
    );
    assert.deepEqual(turns, ["theirs 0 longer", "ours 0 longer", "ours 1", "theirs 1", "theirs 2", "ours 2"]);
    assert.deepEqual(pairs, [
      { ours: 3, theirs: 4 },
      { ours: 6, theirs: 5 },
    ]);
  });

  it("takes the ratio of each pair, then the median and the quartiles of the ratios", () => {
    const pairs = [1, 2, 3, 4].map((ratio) => ({ ours: ratio * 10, theirs: 10 }));
    const { value, against, ratio, spread } = pairedRow("rate", "requests/s", "old", pairs);
    assert.deepEqual([value, against, ratio, spread], [25, "old: 10", 2.5, [2, 4]]);
  });
});
