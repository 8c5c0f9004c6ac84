// Filters against a model of them that is written as the documentation says it, for any condition and any payload.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { cases } from "../../../test/support/cases.ts";
import type { Condition, Operators, PlainValue } from "../../config/config.ts";
import { parseFilterPath, readField, readFields } from "../../core/field-path.ts";
import { holds } from "./condition.ts";
import { createSearch, type Patterns } from "./pattern.ts";
import { shownConditions, shownValues } from "./shown.ts";

const text = fc.constantFrom("", "a", "b", "ab", "ba", "aab", "1", "2.5", "-3", "a1");
const plain: fc.Arbitrary<PlainValue> = fc.oneof(
  text,
  fc.constantFrom(0, 1, 2.5, -3),
  fc.boolean(),
  fc.constant(null),
);
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    plain,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b"), tie("value"), { maxKeys: 2 }),
  ),
})).value;

/** RE2 and JavaScript read these alike. */
const pattern = fc.constantFrom("a", "^a", "b$", "^(a|b)+$", "\\d", "^$");
const limit = fc.constantFrom<number | string>(0, 1, 2.5, "-3", "1");
const operators: fc.Arbitrary<Operators> = fc.record(
  {
    exists: fc.boolean(),
    contains: plain,
    startsWith: text,
    endsWith: text,
    matches: pattern,
    above: limit,
    below: limit,
  },
  { requiredKeys: [] },
);
const some = fc.array(fc.oneof(plain, operators), { minLength: 1, maxLength: 3 });
const condition: fc.Arbitrary<Condition> = fc.oneof(
  plain,
  operators,
  fc.tuple(operators, some).map(([each, not]) => ({ ...each, not })),
);
const path = fc.constantFrom("a", "a.b", "a[0]", "a[*]", "a[*].b", "[*]", "[*].a[*]", "b[*][*]");

const patterns: Patterns = new Map(
  ["a", "^a", "b$", "^(a|b)+$", "\\d", "^$"].map((source) => [
    source,
    { test: (each: string) => new RegExp(source).test(each), steps: 1 },
  ]),
);

function modelValues(payload: unknown, written: string): unknown[] {
  const at = written.indexOf("[*]");
  if (at === -1) return written === "" ? [payload] : ownField(payload, written);
  const lists = at === 0 ? [payload] : ownField(payload, written.slice(0, at));
  const rest = written.slice(at + 3).replace(/^\./, "");
  return lists.flatMap((list) =>
    Array.isArray(list) ? list.flatMap((each) => modelValues(each, rest)) : [],
  );
}

function ownField(payload: unknown, written: string): unknown[] {
  const found = readField(payload, parseFilterPath(written)![0]!);
  return found === undefined ? [] : [found];
}

const modelHolds = (wanted: readonly Condition[], values: readonly unknown[]): boolean =>
  wanted.some((each) => {
    if (typeof each !== "object" || each === null) return values.includes(each);
    const { not, exists, ...others } = each;
    const isOne = (met: unknown) =>
      Object.entries(others).every(([operator, operand]) => modelFits(operator, operand, met));
    return (
      (exists === undefined || (exists ? values.length > 0 : values.length === 0)) &&
      (not === undefined || !modelHolds(not, values)) &&
      (Object.keys(others).length === 0 || values.some(isOne))
    );
  });

function modelFits(operator: string, operand: unknown, met: unknown): boolean {
  const isNumber = typeof met === "number" || (typeof met === "string" && /^-?\d+(\.\d+)?$/.test(met));
  if (operator === "above") return isNumber && Number(met) > Number(operand);
  if (operator === "below") return isNumber && Number(met) < Number(operand);
  if (operator === "contains" && Array.isArray(met)) return met.includes(operand);
  if (typeof met !== "string" || typeof operand !== "string") return false;
  if (operator === "contains") return met.includes(operand);
  if (operator === "startsWith") return met.startsWith(operand);
  return operator === "endsWith" ? met.endsWith(operand) : new RegExp(operand).test(met);
}

test("a filter takes what its model takes", () => {
  fc.assert(
    fc.property(
      value,
      path,
      fc.array(condition, { minLength: 1, maxLength: 2 }),
      (payload, written, wanted) => {
        const values = readFields(payload, parseFilterPath(written)!);
        assert.deepEqual(values, modelValues(payload, written));
        assert.equal(holds(wanted, values, createSearch(patterns)), modelHolds(wanted, values));
      },
    ),
    cases(4000),
  );
});

test("what is shown of a filter and of what it met is one line of bounded length", () => {
  fc.assert(
    fc.property(fc.array(value), fc.array(condition, { minLength: 1 }), (values, wanted) => {
      const said = `${shownValues(values)}, wanted ${shownConditions(wanted)}`;
      assert.ok(said.length < 5_000 && !said.includes("\n") && !said.includes("undefined"), said);
    }),
    cases(500),
  );
});
