import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { cases } from "../../../test/support/cases.ts";
import { createPendingCalls } from "./pending-calls.ts";

test("a call is taken once", () => {
  const pending = createPendingCalls<{ name: string }>();
  const call = { name: "a" };
  const id = pending.put(call);
  assert.equal(pending.take(id), call);
  assert.equal(pending.take(id), undefined);
  assert.equal(pending.take(99), undefined, "never put");
  assert.deepEqual(pending.takeAll(), []);
});

test("ids are used again, and no two pending calls have the same", () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 20 }), { maxLength: 200 }), (steps) => {
      const pending = createPendingCalls<{ step: number }>();
      const expected = new Map<number, { step: number }>();
      let most = 0;
      for (const [step, choice] of steps.entries()) {
        const known = choice % 2 === 0 ? [...expected.keys()][choice] : undefined;
        if (known === undefined) {
          const call = { step };
          const id = pending.put(call);
          assert.ok(!expected.has(id));
          expected.set(id, call);
          most = Math.max(most, expected.size);
          assert.ok(id < most);
        } else {
          assert.equal(pending.take(known), expected.get(known));
          expected.delete(known);
        }
      }
      assert.deepEqual(new Set(pending.takeAll()), new Set(expected.values()));
      assert.deepEqual(pending.takeAll(), []);
    }),
    cases(100),
  );
});
