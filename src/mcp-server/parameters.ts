// Parameters that several tools take.
import { z } from "zod";

const text = z.string().min(1).max(500);

export const id = text.describe("The whole id.");
export const hook = text.optional().describe("Only of this hook.");
export const agent = text.optional().describe("Only on this agent.");

export const paging = {
  limit: z.int().min(1).max(30).default(15).describe("The most items of this page."),
  cursor: text.optional().describe("`nextCursor` of the page before, with the same filters."),
};

export const window = {
  since: text.optional().describe("From this on: `30m`, `1h`, `2d` ago, or a time with its zone."),
  until: text.optional().describe("Before this, written likewise."),
};

export const from = z
  .int()
  .min(0)
  .default(0)
  .describe("Where in the text to begin, to read the rest of a long one.");

const runStatuses = ["queued", "parked", "running", "succeeded", "failed", "timed-out", "cancelled"] as const;
const outcomes = ["accepted", "repeated", "skipped", "refused", "failed", "full"] as const;
const anyOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.array(z.enum(words)).max(words.length).optional();

export const runStatus = anyOf(runStatuses).describe("Where the run stands.");
export const outcome = anyOf(outcomes).describe("How the request was decided.");
export const deliveryStatus = anyOf(["waiting", "sent", "failed", "suppressed", "unknown"]).describe(
  "Where it stands; `unknown`: it may have arrived.",
);

/** What the client's types take: nothing that is undefined. */
export const given = <T extends object>(values: T): { [Name in keyof T]: Exclude<T[Name], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;

export const items = z.array(z.looseObject({ id: z.string() }));
export const page = {
  items,
  nextCursor: z.string().nullable().describe("Of the next page; null: that is all."),
};
