// The building blocks of the API's shapes.
import { z } from "zod";

export const time = z.string().meta({ format: "date-time" });
export const optionalTime = z.string().nullable().meta({ format: "date-time" });
export const optionalText = z.string().nullable();
export const count = z.int().min(0);

/** What a list answers with. */
export const listOf = (item: z.ZodType) =>
  z.strictObject({
    items: z.array(item),
    nextCursor: optionalText.describe(
      "Where the next page begins; null: nothing is left. A page may be short and still have a next one.",
    ),
  });
