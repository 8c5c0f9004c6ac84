// LiquidJS's tokenizer silently accepts some mistakes and unknown filters. Here they are errors with a location.
import { ExactNumber, isKept } from "../../core/exact-number.ts";
import { nearest } from "../../core/nearest.ts";
import { availableFilters } from "./available.ts";
import { type Expression, type Liquid, Tokenizer, TypeGuards } from "liquidjs";

const { isNumberToken, isOperatorToken, isRangeToken } = TypeGuards;
type FilterToken = NonNullable<ReturnType<Tokenizer["readFilter"]>>;
type NumberToken = NonNullable<ReturnType<Tokenizer["readNumber"]>>;
type Grouped = ReturnType<Tokenizer["readGroupOrRange"]>;

const isJsonNumber = /^-?\d+(?:\.\d+)?$/;

/** Far below the numbers to which adding one changes nothing. */
const highestRangeStart = 1_000_000_000;

export class TemplateTokenizer extends Tokenizer {
  readonly #filters: object;

  constructor({ options, filters }: Liquid, input: string, range: [number, number]) {
    super(input, options.operators, undefined, range);
    this.#filters = filters;
  }

  override readExpression(): Expression {
    this.skipBlank();
    const begin = this.p;
    const expression = super.readExpression();
    const written = this.input.slice(begin, this.p).trim();
    this.assert(
      !expression.valid() || isWhole(expression),
      `"${written}" is not one value or comparison`,
      begin,
    );
    return expression;
  }

  override readFilter(): FilterToken | null {
    const filter = super.readFilter();
    if (filter === null || filter.name in this.#filters) return filter;
    const near = nearest(filter.name, availableFilters);
    const hint = near ? `; did you mean ${near}?` : "";
    throw this.error(`filter "${filter.name}" is not available in templates${hint}`, filter.begin);
  }

  override readNumber(): NumberToken | undefined {
    const token = super.readNumber();
    const written = token?.getText() ?? "";
    // LiquidJS only hands the content on.
    if (token && !isKept(written) && isJsonNumber.test(written))
      token.content = new ExactNumber(written) as unknown as number;
    return token;
  }

  /** LiquidJS would never finish a range whose start is so large that adding one does not change it. */
  override readGroupOrRange(): Grouped {
    const begin = this.p;
    const range = super.readGroupOrRange();
    const isBounded =
      isRangeToken(range) && isNumberToken(range.lhs) && Math.abs(range.lhs.content) <= highestRangeStart;
    this.assert(isBounded, `a range must start with a number that is written out, as in (1..5)`, begin);
    return range;
  }
}

/** LiquidJS stops silently at text that it cannot read. */
export function assertRead(tokenizer: Tokenizer): void {
  tokenizer.skipBlank();
  tokenizer.assert(tokenizer.end(), () => `unexpected ${tokenizer.snapshot()}`);
}

/** True when each operator has its operands and exactly one value remains. */
function isWhole({ postfix }: Expression): boolean {
  let values = 0;
  for (const token of postfix) {
    if (!isOperatorToken(token)) values += 1;
    else if (token.operator === "not") values = values < 1 ? Number.NaN : values;
    else values = values < 2 ? Number.NaN : values - 1;
  }
  return values === 1;
}
