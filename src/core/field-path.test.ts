import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFieldPath, readField, replaceField } from "./field-path.ts";

test("paths are names with dots and numbers in brackets", () => {
  assert.deepEqual(parseFieldPath("messages[0].from"), ["messages", 0, "from"]);
  assert.deepEqual(parseFieldPath(" data.object-id "), ["data", "object-id"]);
  assert.deepEqual(parseFieldPath("[3][1].x"), [3, 1, "x"]);
  for (const bad of ["", ".", ".a", "a.", "a..b", "a[b]", "a[-1]", "a[1", "a b", "a[0]b", "a]"])
    assert.equal(parseFieldPath(bad), null, bad);
});

test("only own properties are read, and only arrays have numbers", () => {
  const value = JSON.parse('{"a":[{"b":1},null],"0":"zero","__proto__":{"x":2}}') as unknown;
  const read = (written: string) => readField(value, parseFieldPath(written)!);
  assert.equal(read("a[0].b"), 1);
  assert.equal(read("a[1]"), null);
  assert.equal(read("a[2]"), undefined);
  assert.equal(read("a.length"), undefined);
  assert.equal(read("[0]"), undefined);
  assert.equal(read("__proto__.x"), 2);
  assert.equal(read("constructor"), undefined);
  assert.equal(read("a[1].b"), undefined);
});

test("replacing a field changes neither the original nor other fields", () => {
  const original = JSON.parse('{"a":{"list":[1,2]},"beside":{"x":1},"__proto__":{"kept":true}}') as {
    beside: unknown;
  };
  const copy = replaceField(original, ["a", "list"], [2]) as typeof original;
  assert.equal(JSON.stringify(copy), '{"a":{"list":[2]},"beside":{"x":1},"__proto__":{"kept":true}}');
  assert.equal(copy.beside, original.beside);
  assert.equal(JSON.stringify(original).includes("[1,2]"), true);
  assert.deepEqual(replaceField([[1], [2, 3]], [1], "x"), [[1], "x"]);
});
