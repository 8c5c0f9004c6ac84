// Filters and the values they met, in words for the operator.
import type { Condition, Operators } from "../../config/config.ts";
import { ExactNumber } from "../../core/exact-number.ts";
import { cutWithMark } from "../../core/text.ts";
import { isOperators } from "./condition.ts";

const mostShown = 5;
const longestValue = 200;

export function shownValues(values: readonly unknown[]): string {
  if (values.length === 0) return "missing";
  const more = values.length - mostShown;
  const shown = values.slice(0, mostShown).map(shownValue);
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(" and ");
}

function shownValue(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (value instanceof ExactNumber) return cutWithMark(value.toString(), longestValue);
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "string" ? JSON.stringify(cutWithMark(value, longestValue)) : String(value);
}

export function shownConditions(wanted: readonly Condition[]): string {
  const more = wanted.length - mostShown;
  const shown = wanted.slice(0, mostShown).map(shownCondition);
  return [...shown, ...(more > 0 ? [`one of ${more} more`] : [])].join(" or ");
}

const shownCondition = (condition: Condition): string =>
  isOperators(condition) ? shownOperators(condition) : shownValue(condition);

function shownOperators({ not, exists, ...rest }: Operators): string {
  const shown = [
    ...(exists === undefined ? [] : [exists ? "any value" : "none"]),
    ...Object.entries(rest).map(([operator, value]) => `${words[operator] ?? operator} ${shownValue(value)}`),
    ...(not === undefined ? [] : [shownNegation(not)]),
  ];
  return shown.join(" and ");
}

const shownNegation = (not: readonly Condition[]): string =>
  not.length === 1 && !isOperators(not[0]!) ? `not ${shownValue(not[0])}` : `not (${shownConditions(not)})`;

const words: Readonly<Record<string, string>> = {
  contains: "what contains",
  startsWith: "what starts with",
  endsWith: "what ends with",
  matches: "what matches",
};
