import assert from "node:assert/strict";
import { test } from "node:test";
import { elementsOf } from "./elements.ts";

test("each element sees the payload with its list holding that element alone, and nothing is copied", () => {
  const around = { deep: true };
  const payload = { around, data: { lists: [["no"], ["a", "b"]] } };
  const { list, at, restore } = elementsOf(payload, ["data", "lists", 1]);
  assert.deepEqual(list, ["a", "b"]);
  assert.equal(at(1), payload);
  assert.deepEqual(payload, { around, data: { lists: [["no"], ["b"]] } });
  assert.equal(
    JSON.stringify({ payload: { toJSON: () => at(0) } }),
    `{"payload":${JSON.stringify(payload)}}`,
  );
  assert.deepEqual(payload.data.lists[1], ["a"]);
  restore();
  assert.deepEqual(payload, { around, data: { lists: [["no"], ["a", "b"]] } });
});

test("the payload itself can be the list", () => {
  const { list, at } = elementsOf([1, 2], []);
  assert.deepEqual([list.length, at(0), at(1)], [2, [1], [2]]);
});

test("a field with the name of a setter is a field like any other", () => {
  const payload = JSON.parse('{"__proto__":[1,2]}') as object;
  const { at } = elementsOf(payload, ["__proto__"]);
  assert.equal(JSON.stringify(at(1)), '{"__proto__":[2]}');
  assert.equal(Object.getPrototypeOf(payload), Object.prototype);
});
