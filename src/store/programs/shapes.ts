// The JSON of stored rows, and the forms it must have. A form may have more fields than this version knows.
import type { Row } from "../driver/program.ts";

/** Thrown where a row is to be used; where it is only shown, `placeholder` stands in its place. */
export class Unreadable extends Error {
  override name = "Unreadable";
}

export type Check = (value: unknown) => boolean;

export type JsonColumn = {
  is: Check;
  /** What a person is shown instead. */
  placeholder: (reason: string) => unknown;
};

/** `use`: an unreadable column is a fault. `show`: it becomes its placeholder. */
export type Reading = "use" | "show";

/** The parsed value of a column; null where the column is. */
export function jsonIn(row: Row, column: string, { is, placeholder }: JsonColumn, reading: Reading): unknown {
  const stored = row[column];
  if (stored == null) return null;
  const reason = (what: string): string => `its column ${column} ${what}`;
  const value = parse(String(stored));
  const fault =
    value === notJson
      ? reason("is no JSON")
      : is(value)
        ? null
        : reason("has a form that this version does not know");
  if (fault === null) return value;
  if (reading === "use") throw new Unreadable(fault);
  return placeholder(fault);
}

const notJson = Symbol("not JSON");

function parse(stored: string): unknown {
  try {
    return JSON.parse(stored) as unknown;
  } catch {
    return notJson;
  }
}

const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
const isNumber: Check = (value) => typeof value === "number";
const orNull =
  (is: Check): Check =>
  (value) =>
    value === null || is(value);
/** An earlier version did not store the field. */
const optional =
  (is: Check): Check =>
  (value) =>
    value === undefined || is(value);
const listOf =
  (is: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(is);
const either =
  (...all: readonly Check[]): Check =>
  (value) =>
    all.some((is) => is(value));
const oneOf =
  (...all: readonly unknown[]): Check =>
  (value) =>
    all.includes(value);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function withFields(fields: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(fields);
  return (value) => isRecord(value) && checks.every(([name, is]) => is(value[name]));
}

const isOutsideText = withFields({ label: isText, source: isText, text: isText });
/** The first versions stored a message as one text. */
const isMessage = either(listOf(either(isText, isOutsideText)), isText);
const isTarget = withFields({ channel: isText, to: orNull(isText) });

const isRequest = withFields({
  message: isMessage,
  origin: optional(isText),
  budget: optional(orNull(isText)),
  unsafe: optional(isFlag),
  name: orNull(isText),
  wakeMode: oneOf("now", "next-heartbeat"),
  deliver: isFlag,
  channel: isText,
  to: orNull(isText),
  fallback: optional(orNull(isTarget)),
  deliverFailures: optional(orNull(isFlag)),
  model: orNull(isText),
  thinking: orNull(isText),
  timeoutSeconds: orNull(isNumber),
  tools: optional(either(oneOf("agent"), listOf(isText))),
  trace: optional(orNull(isText)),
  credential: optional(orNull(isText)),
  results: optional(isText),
  callback: optional(orNull(withFields({ name: isText, to: orNull(isText) }))),
});

const isReport = withFields({
  inputTokens: isNumber,
  outputTokens: isNumber,
  cost: orNull(isNumber),
  warnings: listOf(isText),
  toolsGranted: optional(listOf(isText)),
  toolsUsed: optional(listOf(isText)),
});

const isSignals = withFields({
  hiddenCharacters: isNumber,
  chatTokens: isNumber,
  fakeMarkers: isNumber,
  roleLabels: isNumber,
});

export const cannotBeRead = (reason: string): string => `(cannot be read: ${reason})`;
const nothing = (): null => null;

/** A channel that no configuration has, so that nothing is ever sent because of it. */
const noChannel = "(unreadable)";

const unreadableRequest = (reason: string) => ({
  message: [cannotBeRead(reason)],
  origin: "mapping",
  budget: null,
  unsafe: false,
  name: null,
  wakeMode: "next-heartbeat",
  deliver: false,
  channel: noChannel,
  to: null,
  fallback: null,
  deliverFailures: false,
  model: null,
  thinking: null,
  timeoutSeconds: null,
  tools: [],
  trace: null,
  credential: null,
  results: "none",
  callback: null,
});

export const text: JsonColumn = { is: isText, placeholder: cannotBeRead };
export const message: JsonColumn = { is: isMessage, placeholder: (reason) => [cannotBeRead(reason)] };
export const request: JsonColumn = { is: isRequest, placeholder: unreadableRequest };
export const report: JsonColumn = { is: isReport, placeholder: nothing };
export const signals: JsonColumn = { is: isSignals, placeholder: nothing };
export const target: JsonColumn = { is: orNull(isTarget), placeholder: nothing };
/** The last step of the clock that was healed: see `clock.ts`. */
export const healed: JsonColumn = {
  is: orNull(withFields({ at: isNumber, stepMs: orNull(isNumber) })),
  placeholder: nothing,
};
export const about: JsonColumn = {
  is: withFields({
    arrival: orNull(isRecord),
    mapping: orNull(isText),
    decision: orNull(isRecord),
    runIds: listOf(isText),
    eventIds: listOf(isText),
  }),
  placeholder: cannotBeRead,
};
export const toolCalls: JsonColumn = {
  is: listOf(withFields({ name: isText, atMs: isNumber })),
  placeholder: () => [],
};
export const response: JsonColumn = {
  is: withFields({ status: isNumber, body: isRecord }),
  placeholder: nothing,
};

/** Items that can be used, and the rows of those that cannot. */
export function readEach<T>(
  rows: readonly Row[],
  toItem: (row: Row) => T,
): { items: T[]; unreadable: { row: Row; reason: string }[] } {
  const items: T[] = [];
  const unreadable: { row: Row; reason: string }[] = [];
  for (const row of rows) {
    try {
      items.push(toItem(row));
    } catch (fault) {
      if (!(fault instanceof Unreadable)) throw fault;
      unreadable.push({ row, reason: fault.message });
    }
  }
  return { items, unreadable };
}
