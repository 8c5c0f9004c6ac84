import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { salvage } from "./salvage.ts";

const schema = z.strictObject({
  list: z.array(
    z.strictObject({ id: z.string(), size: z.number().default(1), tags: z.array(z.string()).default([]) }),
  ),
});

function saved(value: unknown) {
  const parsed = schema.safeParse(value);
  assert.ok(!parsed.success);
  return salvage(schema, value, parsed.error.issues);
}

test("removes a refused value, and the whole item when a value is missing", () => {
  const good = { id: "c", size: 3 };
  const { rest, restore } = saved({
    list: [{ size: "x", tags: [5] }, { id: "b", size: "x", other: 1 }, { id: 5 }, good],
    more: 1,
  });
  assert.deepEqual(rest, {
    list: [
      { id: "b", size: 1, tags: [] },
      { id: "c", size: 3, tags: [] },
    ],
  });
  const indexes = [0, 1].map((at) => restore({ path: ["list", at, "id"], message: "" }).path[1]);
  assert.deepEqual(indexes, [1, 3]);
});

test("does not change the value it was given", () => {
  const value = { list: [{ size: 1 }] };
  saved(value);
  assert.deepEqual(value, { list: [{ size: 1 }] });
});

test("salvages nothing when the top level is wrong", () => {
  assert.equal(saved([1]).rest, null);
  assert.equal(saved({}).rest, null);
});
