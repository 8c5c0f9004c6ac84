// Whether what a filter met is what it wants. A filter meets the values at its path: none, one, or with `[*]` several.
import type { Condition, Operators, PlainValue } from "../../config/config.ts";
import { ExactNumber, isBeyondNumbers } from "../../core/exact-number.ts";
import type { Search } from "./pattern.ts";

/** One of the conditions must hold. */
export const holds = (wanted: readonly Condition[], values: readonly unknown[], search: Search): boolean =>
  wanted.some((each) =>
    isOperators(each) ? allHold(each, values, search) : values.some((value) => isSame(each, value)),
  );

export const isOperators = (condition: Condition): condition is Operators =>
  typeof condition === "object" && condition !== null;

/** `exists` and `not` are about all values; the others must hold together for one of them. */
function allHold(operators: Operators, values: readonly unknown[], search: Search): boolean {
  const { not, exists, ...rest } = operators;
  if (exists !== undefined && exists !== values.length > 0) return false;
  if (not !== undefined && holds(not, values, search)) return false;
  return Object.keys(rest).length === 0 || values.some((value) => fits(rest, value, search));
}

function fits(operators: Operators, value: unknown, search: Search): boolean {
  const { contains, startsWith, endsWith, matches, above, below } = operators;
  return (
    (contains === undefined || isIn(contains, value)) &&
    (startsWith === undefined || (typeof value === "string" && value.startsWith(startsWith))) &&
    (endsWith === undefined || (typeof value === "string" && value.endsWith(endsWith))) &&
    (above === undefined || numberIn(value)?.gt(limitOf(above)) === true) &&
    (below === undefined || numberIn(value)?.lt(limitOf(below)) === true) &&
    (matches === undefined || (typeof value === "string" && search.finds(matches, value)))
  );
}

function isIn(part: PlainValue, value: unknown): boolean {
  if (Array.isArray(value)) return value.some((each) => isSame(part, each));
  return typeof value === "string" && typeof part === "string" && value.includes(part);
}

/** A number that JavaScript cannot hold is given as text. */
const isSame = (wanted: PlainValue, value: unknown): boolean =>
  value instanceof ExactNumber ? value.equals(wanted) || isUnsafe(value, wanted) : value === wanted;

const isUnsafe = (value: ExactNumber, wanted: PlainValue): boolean =>
  typeof wanted === "string" && isBeyondNumbers(value) && value.toString() === wanted;

const longestNumber = 1_000;
const numberInText = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Forms, XML and headers have only text, so digits in text are a number here. */
function numberIn(value: unknown): ExactNumber | null {
  if (value instanceof ExactNumber) return value;
  if (typeof value === "number") return new ExactNumber(String(value));
  const isNumber = typeof value === "string" && value.length <= longestNumber && numberInText.test(value);
  return isNumber ? new ExactNumber(value) : null;
}

const limitOf = (limit: number | string): number | ExactNumber =>
  typeof limit === "number" ? limit : new ExactNumber(limit);
