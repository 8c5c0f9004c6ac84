// Says in plain words why a template cannot be parsed or rendered. LiquidJS's own messages about a rendering are not
// passed on: they can contain text of the payload.
import { LiquidError } from "liquidjs";
import { OverBudget } from "./budget.ts";

export class TemplateFault extends Error {
  override readonly name = "TemplateFault";
}

/** Line and column count from 1. */
export type Problem = { readonly message: string; readonly line: number; readonly column: number };

export function problemOf(error: unknown, source: string): Problem {
  return { message: sentenceOf(error), ...locationOf(source, LiquidError.is(error) ? error.token.begin : 0) };
}

function sentenceOf(error: unknown): string {
  const origin = originOf(error);
  if (origin instanceof RangeError) return "the template is nested too deeply";
  if (!(origin instanceof Error) || origin instanceof TypeError)
    return "this is not a template that can be read";
  const sentence = origin.message.replace(/, line:\d+, col:\d+$/, "");
  return rewordings.reduce((text, [theirs, ours]) => text.replace(theirs, ours), sentence);
}

const rewordings: readonly (readonly [RegExp, string])[] = [
  [/^(output .*) not closed$/s, "$1 is not closed: end it with }}"],
  [/^(tag ".*) not closed$/s, "$1 is not closed: end it with %}"],
  [/^(tag \{%-?\s*(\w+)(?!\w).*) not closed$/s, "$1 is not closed: end it with {% end$2 %}"],
  [/ not closed$/, " is not closed"],
  [/^illegal tag: (\{%-?\s*for\b)/, "expected for NAME in LIST, found $1"],
  [/^illegal tag syntax, tag name expected$/, "expected the name of a tag"],
  [/^invalid value expression: ""$/, "a value is missing"],
  [/^invalid value expression: /, "expected a value, found "],
  [/^invalid range syntax$/, "parentheses are for ranges only, as in (1..5)"],
  [/^expected "\|" before filter$/, 'expected an operator such as ==, or a filter with "|" before it'],
];

export function faultOf(error: unknown, source: string): TemplateFault {
  const token = LiquidError.is(error) && error.token.input === source ? error.token : null;
  if (token === null) return new TemplateFault(`The template could not be rendered: ${reasonOf(error)}.`);
  const { line, column } = locationOf(source, token.begin);
  return new TemplateFault(
    `The template could not be rendered at line ${line}, column ${column}: ${reasonOf(error)}.`,
  );
}

function reasonOf(error: unknown): string {
  const origin = originOf(error);
  if (!(origin instanceof Error)) return "it failed";
  if (origin instanceof OverBudget) return origin.message;
  if (origin instanceof RangeError)
    return "a value is nested too deeply, too long, or not one that is allowed";
  return "a filter or a comparison got a value that it cannot work with";
}

function originOf(error: unknown): unknown {
  let origin = error;
  while (LiquidError.is(origin) && origin.originalError !== undefined) origin = origin.originalError;
  return origin;
}

function locationOf(source: string, at: number): { line: number; column: number } {
  const before = source.slice(0, at).split("\n");
  return { line: before.length, column: before.at(-1)!.length + 1 };
}
