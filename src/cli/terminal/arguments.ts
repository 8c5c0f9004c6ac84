// Parses a command's arguments into options and positionals. Refuses unknown options and values that do not fit.
import { parseArgs } from "node:util";
import { nearest } from "../../core/nearest.ts";
import { type Context, type Flags, WrongUsage } from "../command.ts";
import { pathFrom } from "./folder.ts";

export type Values<F extends Flags> = {
  [Name in keyof F]?: F[Name]["type"] extends "string"
    ? F[Name] extends { multiple: true }
      ? string[]
      : string
    : boolean;
};

export const configFlag = { config: { type: "string", file: true } } as const;
export const jsonFlag = { json: { type: "boolean" } } as const;

export function readArguments<const F extends Flags>(
  { argv, folder }: Pick<Context, "argv" | "folder">,
  flags: F,
): { values: Values<F>; positionals: string[] } {
  const { tokens, positionals } = parseArgs({
    args: [...argv],
    options: flags,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values: Record<string, string | boolean> = {};
  const listed: Record<string, string[]> = {};
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const flag = Object.hasOwn(flags, token.name) ? flags[token.name] : undefined;
    if (!flag) throw unknownOption(token.rawName, Object.keys(flags));
    if (flag.type === "boolean") values[token.name] = readSwitch(token.rawName, token.inlineValue);
    else if (flag.multiple) (listed[token.name] ??= []).push(readValue(token));
    else values[token.name] = flag.file ? pathFrom(folder, readValue(token)) : readValue(token);
  }
  return { values: { ...values, ...listed } as Values<F>, positionals };
}

function unknownOption(written: string, known: readonly string[]): WrongUsage {
  const near = nearest(written.replace(/^-+/, ""), known);
  const hint = near
    ? `Did you mean --${near}?`
    : "Text that begins with a dash goes after two dashes: -- -text";
  return new WrongUsage(`There is no option ${written}. ${hint}`);
}

export function unknownVerb(written: string, known: readonly string[]): WrongUsage {
  const near = nearest(written, known);
  return new WrongUsage(`There is no verb "${written}".${near ? ` Did you mean ${near}?` : ""}`);
}

function readValue(token: {
  rawName: string;
  value?: string | undefined;
  inlineValue?: boolean | undefined;
}) {
  const { rawName, value, inlineValue } = token;
  if (value === undefined) throw new WrongUsage(`${rawName} needs a value.`);
  const isOption = !inlineValue && /^-[^\d]/.test(value);
  if (isOption)
    throw new WrongUsage(`${rawName} needs a value; one that begins with a dash: ${rawName}=VALUE`);
  return value;
}

function readSwitch(rawName: string, hasValue: boolean | undefined): true {
  if (hasValue) throw new WrongUsage(`${rawName} takes no value.`);
  return true;
}

export function readWholeNumber(name: string, written: string, least: number, most: number): number {
  const value = /^\d+$/.test(written.trim()) ? Number(written) : Number.NaN;
  if (!(value >= least && value <= most))
    throw new WrongUsage(`${name} must be a whole number from ${least} to ${most}, not "${written}".`);
  return value;
}

export function readOneOf<T extends string>(name: string, written: string, known: readonly T[]): T {
  const found = known.find((each) => each === written);
  if (found === undefined) throw new WrongUsage(`${name} must be ${alternatives(known)}, not "${written}".`);
  return found;
}

const alternatives = (known: readonly string[]): string =>
  known.length > 2 ? `one of ${known.join(", ")}` : known.join(" or ");

export function refuseMore(positionals: readonly string[], expected: number): void {
  const extra = positionals[expected];
  if (extra !== undefined)
    throw new WrongUsage(`Unexpected argument "${extra}". Put text of several words in quotes.`);
}
