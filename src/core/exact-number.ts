// A number from outside that JavaScript would write differently: an id beyond 2^53, 1e400, 1.0, -0. It keeps its
// sender's digits wherever it is written, and is a usual number where something is reckoned with it.

export class ExactNumber {
  readonly #written: string;

  /** `written` is a number as JSON has them. */
  constructor(written: string) {
    this.#written = written;
  }

  toString(): string {
    return this.#written;
  }

  valueOf(): number {
    return Number(this.#written);
  }

  toJSON(): unknown {
    return rawJson(this.#written);
  }

  /** Whether both are the same number, however it is written: 1.0 is 1, and 2^53 + 1 is not 2^53. */
  equals(other: unknown): boolean {
    const isNumber = typeof other === "number" || other instanceof ExactNumber;
    return isNumber && decimalOf(String(other)) === decimalOf(this.#written);
  }

  // With these, templates compare it as any number.
  gt(other: unknown): boolean {
    return order(this.#written, other) > 0;
  }
  geq(other: unknown): boolean {
    return order(this.#written, other) >= 0;
  }
  lt(other: unknown): boolean {
    return order(this.#written, other) < 0;
  }
  leq(other: unknown): boolean {
    return order(this.#written, other) <= 0;
  }
}

/** Below, at or above 0 as the first number is below, at or above the second; NaN for what is no number. */
function order(written: string, other: unknown): number {
  const [left, right] = [Number(written), Number(other)];
  const isNumber = typeof other === "number" || other instanceof ExactNumber;
  // Two numbers beyond 2^53, or two beyond 1e308, can be different and the same number of JavaScript.
  return left === right && isNumber ? exactOrder(written, String(other)) : left > right ? 1 : left - right;
}

function exactOrder(left: string, right: string): number {
  const [one, two] = [left, right].map((each) => decimalParts(decimalOf(each)));
  if (!one || !two) return 0;
  const size =
    one.magnitude - two.magnitude || (one.digits < two.digits ? -1 : one.digits > two.digits ? 1 : 0);
  return one.isNegative ? -size : size;
}

/** Of what `decimalOf` gives. The digits have no zeros at their ends, so texts of one magnitude compare as numbers. */
function decimalParts(decimal: string) {
  const [, sign, digits = "", power] = /^(-?)(\d+)e(-?\d+)$/.exec(decimal) ?? [];
  if (power === undefined) return null;
  return { isNegative: sign === "-", digits, magnitude: Number(power) + digits.length };
}

// TypeScript does not know it yet.
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };

/** Longer ones are compared as they are written. */
const longestExponent = 15;

/** The digits without zeros at their ends, and the power of ten of the last one. */
function decimalOf(written: string): string {
  const found = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(written);
  // Infinity, which no JSON has.
  if (found === null) return written;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = found;
  const all = whole + fraction;
  let first = 0;
  while (first < all.length && all[first] === "0") first++;
  let end = all.length;
  while (end > first && all[end - 1] === "0") end--;
  if (first === end) return "0";
  if (exponent.length > longestExponent) return written;
  const power = Number(exponent) - fraction.length + all.length - end;
  return `${sign}${all.slice(first, end)}e${power}`;
}

/** Whether a usual number is written in the same way. */
export const isKept = (written: string): boolean => String(Number(written)) === written;

/** A whole number beyond 2^53, or one too large for JavaScript, such as 1e400. */
export const isBeyondNumbers = (number: ExactNumber): boolean => {
  const value = number.valueOf();
  return !Number.isFinite(value) || (/^-?\d+$/.test(number.toString()) && !Number.isSafeInteger(value));
};

/** The same value with usual numbers, and with text for what no number can hold. It is changed in place. */
export function withUsualNumbers(value: unknown): unknown {
  if (value instanceof ExactNumber) return isBeyondNumbers(value) ? value.toString() : value.valueOf();
  if (Array.isArray(value)) for (const [at, each] of value.entries()) value[at] = withUsualNumbers(each);
  else if (typeof value === "object" && value !== null)
    for (const key of Object.keys(value)) replaceExact(value as Record<string, unknown>, key);
  return value;
}

function replaceExact(holder: Record<string, unknown>, key: string): void {
  const value = holder[key];
  const usual = withUsualNumbers(value);
  if (usual !== value)
    Object.defineProperty(holder, key, {
      value: usual,
      enumerable: true,
      writable: true,
      configurable: true,
    });
}
