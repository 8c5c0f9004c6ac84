// How commands print: JSON for programs, lines and a little colour for people.
import { largest } from "../../core/largest.ts";
import { styleText } from "node:util";
import type { Context } from "../command.ts";
import { safeText } from "./text.ts";

// Inside JSON these occur only in strings, where an escape means the same and does not drive the terminal.
const control = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const escaped = (json: string): string =>
  json.replace(control, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);

const oneJson = (value: unknown): string => escaped(JSON.stringify(value));

export const printJson = ({ stdout }: Context, value: unknown): void => stdout.write(`${oneJson(value)}\n`);

/** One array, one resource a line. */
export function printJsonList({ stdout }: Context, items: readonly unknown[]): void {
  stdout.write(items.length === 0 ? "[]\n" : `[\n${items.map(oneJson).join(",\n")}\n]\n`);
}

export const printLine = ({ stdout }: Context, text: string): void => stdout.write(`${safeText(text)}\n`);
export const noteLine = ({ stderr }: Pick<Context, "stderr">, text: string): void =>
  stderr.write(`${safeText(text)}\n`);

/** Named values, one a line; texts of several lines below their name. */
export function printFields(context: Context, fields: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(fields);
  const width = largest(names.map((name) => name.length)) + 1;
  for (const name of names) {
    const text = shown(fields[name]);
    const isLong = text.includes("\n");
    const body = isLong ? `\n${text.replace(/^/gm, "  ")}` : ` ${text}`;
    printLine(context, `${isLong ? `${name}:` : `${name}:`.padEnd(width)}${body}`);
  }
}

const shown = (value: unknown): string =>
  value === null || value === undefined
    ? "-"
    : typeof value === "string"
      ? safeText(value)
      : JSON.stringify(value);

export type Style = "green" | "yellow" | "red" | "bold" | "dim";

/** Colour on a terminal only, and never against NO_COLOR. */
export const painter = ({ isTerminal, env }: Context): ((style: Style, text: string) => string) =>
  isTerminal && !env["NO_COLOR"] && env["TERM"] !== "dumb"
    ? (style, text) => styleText(style, text, { validateStream: false })
    : (_, text) => text;
