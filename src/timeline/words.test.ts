import assert from "node:assert/strict";
import test from "node:test";
import { countWords, durationWords, numberWords, sizeWords } from "./words.ts";

test("durations are read at a glance", () => {
  const words: readonly (readonly [number, string])[] = [
    [0, "0 ms"],
    [999, "999 ms"],
    [1_000, "1.0 s"],
    [27_700, "27.7 s"],
    [59_949, "59.9 s"],
    [59_960, "1 m"],
    [184_000, "3 m 4 s"],
    [3_599_600, "1 h"],
    [7_500_000, "2 h 5 m"],
    [273_600_000, "3 d 4 h"],
    [-5, "0 ms"],
  ];
  for (const [ms, expected] of words) assert.equal(durationWords(ms), expected);
});

test("sizes and counts", () => {
  assert.deepEqual([1, 999, 8_123, 999_960].map(sizeWords), ["1 byte", "999 bytes", "8.1 KB", "1.0 MB"]);
  assert.deepEqual([1, 12, 1_234_567].map(numberWords), ["1", "12", "1,234,567"]);
  assert.equal(countWords(1, "reply", "replies"), "1 reply");
  assert.equal(countWords(2, "reply", "replies"), "2 replies");
});
