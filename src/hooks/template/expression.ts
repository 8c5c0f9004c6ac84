// The expression between `{{` and `}}`.
import { type Context, type Liquid, TypeGuards, Value, toValue, toValueSync } from "liquidjs";
import { readPath } from "./context.ts";
import { noteReference, noteToken, referenceOf } from "./references.ts";
import { assertRead, TemplateTokenizer } from "./tokenizer.ts";

const { isLiteralToken, isNumberToken, isQuotedToken } = TypeGuards;

export type Expression = {
  evaluate(context: Context): unknown;
  /** Whether it only formats our clock, in a format the operator wrote, and so contains nothing of the request. */
  isOurs(context: Context): boolean;
};

export function readExpression(
  input: string,
  range: [number, number],
  { liquid, isOptional }: { liquid: Liquid; isOptional: boolean },
): Expression {
  const tokenizer = new TemplateTokenizer(liquid, input, range);
  const { initial, filters } = new Value(tokenizer.readFilteredValue(), liquid);
  assertRead(tokenizer);
  const [only, ...others] = initial.postfix;
  const reference = others.length > 0 ? null : referenceOf(only);
  const path = reference?.path ?? null;
  const use = { isOptional, hasDefault: filters.some(({ name }) => name === "default") };
  const passed = filters.flatMap(({ args }) => args.map((each) => (Array.isArray(each) ? each[1] : each)));
  const evaluateInitial = (context: Context): unknown =>
    path === null ? toValueSync(initial.evaluate(context)) : readPath(context, path);
  const isClock = path?.length === 1 && path[0] === "now" && areWrittenOut(filters);
  return {
    evaluate(context) {
      let value = evaluateInitial(context);
      if (reference !== null) noteReference(context, reference, value, use);
      for (const token of passed) noteToken(context, token, use);
      for (const filter of filters) value = toValueSync(filter.render(value, context));
      return toValue(value);
    },
    // A tag may have assigned another value to the name.
    isOurs: (context) =>
      isClock && evaluateInitial(context) === (context.environments as { now?: unknown }).now,
  };
}

const areWrittenOut = (filters: Value["filters"]): boolean =>
  filters.length === 0 ||
  (filters.length === 1 && filters[0]!.name === "date" && filters[0]!.args.every(isWrittenOut));

const isWrittenOut = (argument: unknown): boolean =>
  isQuotedToken(argument) || isNumberToken(argument) || isLiteralToken(argument);
