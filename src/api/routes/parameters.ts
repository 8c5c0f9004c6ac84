// Parameters that several routes take.
import { z } from "zod";
import { momentOf } from "../frame/moment.ts";

const longestText = 500;
const mostValues = 50;

const value = z.string().min(1).max(longestText);

/** May stand several times: any of them counts. */
export const several = (description: string) =>
  z.array(value).max(mostValues).optional().describe(description);

export const moment = (description: string) =>
  value
    .refine(
      (written) => momentOf(written, 0) !== null,
      "must be a time with its zone such as 2026-11-19T08:00:00Z, or how long ago, such as 1h",
    )
    .optional()
    .describe(description);

export const paging = {
  limit: z.int().min(1).max(500).default(50).describe("The most items of a page."),
  cursor: value.optional().describe("`nextCursor` of the page before, with the same filters."),
};

export const window = {
  since: moment("Stored at or after this: a time with its zone, or how long ago, such as `1h`."),
  until: moment("Stored before this."),
};

export const idPrefix = value.optional().describe("The beginning of an id.");

export const byId = z.strictObject({ id: value.describe("The whole id.") });
export const byName = z.strictObject({ name: value });

export const dryRun = z.boolean().default(false).describe("Only says what would be done.");
