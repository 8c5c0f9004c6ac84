import assert from "node:assert/strict";
import { test } from "node:test";
import { measureSteadiness, steadinessNote, steadinessOf } from "./steadiness.ts";

test("a machine that is always as fast loses nothing", () => {
  assert.deepEqual(steadinessOf(Array.from({ length: 500 }, () => 2)), { lost: 0, p99: 1, longest: 1 });
});

test("what slow slices take beyond the usual is lost", () => {
  const slices = Array.from({ length: 1000 }, (_, at) => (at % 50 === 0 ? (at === 0 ? 30 : 10) : 1));
  const { lost, p99, longest } = steadinessOf(slices);
  assert.deepEqual([p99, longest], [10, 30]);
  assert.ok(Math.abs(lost - (1 - 1000 / (980 + 19 * 10 + 30))) < 1e-9);
});

test("it is measured for as long as it is told", () => {
  const begunAt = performance.now();
  const { lost, p99, longest } = measureSteadiness(20);
  assert.ok(performance.now() - begunAt >= 20);
  assert.ok(lost >= 0 && lost < 1 && p99 >= 1 && longest >= p99);
});

test("what is said of it has both moments in it", () => {
  const note = steadinessNote({ lost: 0.1, p99: 3, longest: 12 }, { lost: 0.3, p99: 5.5, longest: 22 });
  assert.match(note, /10 % and 30 %.* 3 and 5\.50 ms, the longest 22 ms/);
});
