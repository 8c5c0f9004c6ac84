// The expression between `{{` and `}}`.
import { type Context, type Liquid, TypeGuards, Value, toValue, toValueSync } from "liquidjs";
import { type Path, readPath } from "./context.ts";
import { assertRead, TemplateTokenizer } from "./tokenizer.ts";

const { isLiteralToken, isNumberToken, isPropertyAccessToken, isQuotedToken, isWordToken } = TypeGuards;

export type Expression = {
  evaluate(context: Context): unknown;
  /** Whether it only formats our clock, in a format the operator wrote, and so contains nothing of the request. */
  isOurs(context: Context): boolean;
};

export function readExpression(input: string, range: [number, number], liquid: Liquid): Expression {
  const tokenizer = new TemplateTokenizer(liquid, input, range);
  const { initial, filters } = new Value(tokenizer.readFilteredValue(), liquid);
  assertRead(tokenizer);
  const path = pathOf(initial);
  const evaluateInitial = (context: Context): unknown =>
    path === null ? toValueSync(initial.evaluate(context)) : readPath(context, path);
  const isClock = path?.length === 1 && path[0] === "now" && areWrittenOut(filters);
  return {
    evaluate(context) {
      let value = evaluateInitial(context);
      for (const filter of filters) value = toValueSync(filter.render(value, context));
      return toValue(value);
    },
    // A tag may have assigned another value to the name.
    isOurs: (context) =>
      isClock && evaluateInitial(context) === (context.environments as { now?: unknown }).now,
  };
}

/** The path, if it contains no variable, as nearly all do; otherwise null. */
function pathOf({ postfix }: Value["initial"]): Path | null {
  const [only, ...others] = postfix;
  if (others.length > 0 || !isPropertyAccessToken(only) || only.variable !== undefined) return null;
  const path: (string | number)[] = [];
  for (const step of only.props) {
    if (!isWordToken(step) && !isQuotedToken(step) && !isNumberToken(step)) return null;
    path.push(step.content);
  }
  return path;
}

const areWrittenOut = (filters: Value["filters"]): boolean =>
  filters.length === 0 ||
  (filters.length === 1 && filters[0]!.name === "date" && filters[0]!.args.every(isWrittenOut));

const isWrittenOut = (argument: unknown): boolean =>
  isQuotedToken(argument) || isNumberToken(argument) || isLiteralToken(argument);
