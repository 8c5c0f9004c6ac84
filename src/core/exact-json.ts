// JSON whose numbers keep their digits. A reviver for JSON.parse sees them too, in more than twice the time: here they are
// marked in the text, and the marks are replaced in the parsed value.
import { randomBytes } from "node:crypto";
import { ExactNumber, isKept } from "./exact-number.ts";

/**
 * A number that may not be kept, where a value may stand: many digits, zeros at the end of a fraction, a small fraction,
 * an exponent, minus zero. It finds too many rather than too few, also in texts.
 */
const suspicious =
  /(?:^|[[:,\s])(?:-0(?![.\d])|-?(?:\d{16}|[\d.]{17}|0\.0{6}|\d+\.\d*0(?!\d)|\d+(?:\.\d+)?[eE]))/;

/** Before the digits in a text that stands for a number. Nobody outside can guess it. */
const mark = `\u007f${randomBytes(12).toString("base64")}`;

/** As JSON.parse; numbers that JavaScript would write differently become exact numbers. */
export function parseExactJson(text: string): unknown {
  const usual = JSON.parse(text) as unknown;
  if (!suspicious.test(text)) return usual;
  const marked = markNumbers(text);
  return marked === text ? usual : replaceMarks(JSON.parse(marked), new Map());
}

/** The text must be JSON. */
function markNumbers(text: string): string {
  let marked = "";
  let copied = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfText(text, at);
    else if (code === minus || isDigit(code)) {
      const end = endOfNumber(text, at);
      const written = text.slice(at, end);
      if (!isKept(written)) {
        marked += `${text.slice(copied, at)}"${mark}${written}"`;
        copied = end;
      }
      at = end;
    } else at++;
  }
  return marked + text.slice(copied);
}

const quote = 0x22;
const backslash = 0x5c;
const minus = 0x2d;

function endOfText(text: string, begin: number): number {
  let end = text.indexOf('"', begin + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text.charCodeAt(before - 1) === backslash) before--;
  return (at - before) % 2 === 1;
}

function endOfNumber(text: string, begin: number): number {
  let end = begin + 1;
  while (isInNumber(text.charCodeAt(end))) end++;
  return end;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

const signs = new Set(Array.from("+-.eE", (sign) => sign.charCodeAt(0)));
const isInNumber = (code: number): boolean => isDigit(code) || signs.has(code);

/** Changes the value in place. Numbers that are written alike become one object, so that lists can be made distinct. */
function replaceMarks(value: unknown, known: Map<string, ExactNumber>): unknown {
  if (typeof value === "string") return value.startsWith(mark) ? numberOf(value, known) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) value[at] = replaceMarks(value[at], known);
    return value;
  }
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    const replaced = replaceMarks(inner, known);
    if (replaced !== inner) put(value, key, replaced);
  }
  return value;
}

function numberOf(marked: string, known: Map<string, ExactNumber>): ExactNumber {
  const written = marked.slice(mark.length);
  const number = known.get(written) ?? new ExactNumber(written);
  known.set(written, number);
  return number;
}

/** A field can have the name of a setter. */
function put(holder: object, key: string, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true });
  else (holder as Record<string, unknown>)[key] = value;
}
