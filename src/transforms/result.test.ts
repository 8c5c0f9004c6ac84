import assert from "node:assert/strict";
import { test } from "node:test";
import { readResult } from "./result.ts";

const faultOf = (returned: unknown): string => {
  try {
    readResult(returned);
  } catch (fault) {
    return (fault as Error).message;
  }
  return "no fault";
};

test("nothing, null and an object are results", () => {
  assert.deepEqual(readResult(undefined), { kind: "kept" });
  assert.deepEqual(readResult(null), { kind: "skip" });
  const value = {
    message: "x",
    deliver: false,
    name: undefined,
    payload: [1, null, { at: new Date(0) }, Object.create(null)],
  };
  assert.deepEqual(readResult(value), { kind: "changed", value });
});

test("any other value is refused", () => {
  for (const [returned, name] of [
    [[], "an array"],
    ["text", "a string"],
    [0, "a number"],
    [true, "a boolean"],
    [() => {}, "a function"],
    [new Map(), "a Map object"],
    [new Date(), "a Date object"],
  ] as const)
    assert.equal(faultOf(returned), `it returned ${name}; a transform returns nothing, null or an object`);
});

test("a value that JSON cannot carry is named with its path", () => {
  for (const [value, name] of [
    [() => {}, "a function"],
    [1n, "a bigint"],
    [Symbol("x"), "a symbol"],
    [Number.NaN, "NaN"],
    [new Set(), "a Set object"],
  ] as const)
    assert.equal(
      faultOf({ payload: { list: [0, value] } }),
      `its result.payload.list[1] is ${name}, which JSON cannot carry`,
    );
});

test("a cycle and endless nesting are refused", () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = [cycle, cycle];
  assert.match(faultOf(cycle), /contains itself/);
  let deep: unknown = 1;
  for (let depth = 0; depth < 100_000; depth++) deep = [deep];
  assert.match(faultOf({ payload: deep }), /nested deeper than 500/);
});
