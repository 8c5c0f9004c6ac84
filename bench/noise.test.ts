import assert from "node:assert/strict";
import { test } from "node:test";
import { measureNoise, noiseNote, noiseOf } from "./noise.ts";

test("a machine that is always as fast loses nothing", () => {
  assert.deepEqual(noiseOf(Array.from({ length: 500 }, () => 2)), { lost: 0, p99: 1, longest: 1 });
});

test("what slow slices take beyond the usual is lost", () => {
  const slices = Array.from({ length: 1000 }, (_, at) => (at % 50 === 0 ? (at === 0 ? 30 : 10) : 1));
  const { lost, p99, longest } = noiseOf(slices);
  assert.deepEqual([p99, longest], [10, 30]);
  assert.ok(Math.abs(lost - (1 - 1000 / (980 + 19 * 10 + 30))) < 1e-9);
});

test("measures for the given time", () => {
  const startedAt = performance.now();
  const { lost, p99, longest } = measureNoise(20);
  assert.ok(performance.now() - startedAt >= 20);
  assert.ok(lost >= 0 && lost < 1 && p99 >= 1 && longest >= p99);
});

test("what is said of it has both moments in it", () => {
  const note = noiseNote({ lost: 0.1, p99: 3, longest: 12 }, { lost: 0.3, p99: 5.5, longest: 22 });
  assert.match(note, /10 % and 30 %.* 3 and 5\.50 ms, the longest 22 ms/);
});
