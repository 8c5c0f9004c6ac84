import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { cases } from "../../test/support/cases.ts";
import { createSlots } from "./slots.ts";

test("what was put is there until it is taken, and is taken once", () => {
  const slots = createSlots<{ name: string }>();
  const [a, b] = [{ name: "a" }, { name: "b" }];
  const atA = slots.put(a);
  const atB = slots.put(b);
  assert.deepEqual([slots.size, slots.values()], [2, [a, b]]);
  assert.equal(slots.take(atA), a);
  assert.equal(slots.take(atA), undefined, "a second time");
  assert.deepEqual([slots.size, slots.values()], [1, [b]]);
  assert.equal(slots.take(99), undefined, "never put");
  assert.equal(slots.take(atB), b);
  assert.deepEqual([slots.size, slots.values()], [0, []]);
});

test("places are used again, and no two have the same", () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 20 }), { maxLength: 200 }), (steps) => {
      const slots = createSlots<{ step: number }>();
      const there = new Map<number, { step: number }>();
      for (const [step, choice] of steps.entries()) {
        const taken = choice % 2 === 0 ? [...there.keys()][choice] : undefined;
        if (taken === undefined) {
          const item = { step };
          const at = slots.put(item);
          assert.ok(!there.has(at) && at < 200);
          there.set(at, item);
        } else {
          assert.equal(slots.take(taken), there.get(taken));
          there.delete(taken);
        }
        assert.equal(slots.size, there.size);
      }
      assert.deepEqual(new Set(slots.values()), new Set(there.values()));
    }),
    cases(100),
  );
});
