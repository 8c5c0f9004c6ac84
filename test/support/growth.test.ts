import assert from "node:assert/strict";
import { test } from "node:test";
import { assertLinear } from "./growth.ts";

let kept = 0;
const count = (steps: number): void => {
  for (let step = 0; step < steps; step++) kept = (kept + step) % 7;
};

test("linear work passes, whatever it costs", () => {
  for (const cost of [1, 1000]) assertLinear("counting", 2000, (size) => count(size * cost));
});

test("quadratic work does not", () => {
  assert.throws(() => assertLinear("counting", 1500, (size) => count(size * size)), /counting: 4 times/);
});
