// What a filter of `match` wants: values, or operators such as `{ "not": "closed" }`.
import { z } from "zod";
import { parseFilterPath } from "../../core/field-path.ts";

const filterPathFault =
  "must be a path such as messages[0].from or labels[*].name: names with dots, numbers or * in brackets";

export const filterPath = z
  .string()
  .refine((written) => parseFilterPath(written) !== null, filterPathFault);

const keepsItsDigits = (value: unknown): boolean =>
  typeof value !== "number" || !Number.isInteger(value) || Number.isSafeInteger(value);
const tooManyDigits = "has more digits than a number can hold: write it as text, in quotes";

const plainValue = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .refine(keepsItsDigits, tooManyDigits);

const limit = z
  .union([z.number(), z.string().regex(/^-?\d+(?:\.\d+)?$/, "must be a number")], { error: "must be a number" })
  .refine(keepsItsDigits, tooManyDigits);

/** In characters. */
const longestPattern = 1_000;

const operators = {
  exists: z.boolean().describe("Whether there must be a value, `null` included, or must be none.").optional(),
  contains: plainValue.describe("A part of the text, or an element of the list.").optional(),
  startsWith: z.string().min(1).describe("The start of the text.").optional(),
  endsWith: z.string().min(1).describe("The end of the text.").optional(),
  matches: z
    .string()
    .min(1)
    .max(longestPattern)
    .describe("A regular expression (RE2) that is found in the text.")
    .optional(),
  above: limit.describe("A number that the value is above. Digits in text count, too.").optional(),
  below: limit.describe("A number that the value is below.").optional(),
};

const noOperator = {
  error: "must have an operator: not, exists, contains, startsWith, endsWith, matches, above or below",
  when: ({ issues }: { issues: readonly unknown[] }): boolean => issues.length === 0,
};

/** `id`: under which the JSON schema has it once. */
const object = <T extends z.ZodRawShape>(shape: T, id: string) =>
  z
    .strictObject(shape)
    .refine((written) => Object.keys(written).length > 0, noOperator)
    .meta({ id });

/** All operators of one object must hold, and one of a list. */
const oneOrMore = <T extends z.ZodType>(condition: T) =>
  z.union([condition, z.array(condition).min(1)], {
    error: "must be a value, an object of operators, or a list of these that is not empty",
  });

const negated = object(operators, "negatedOperators");

const conditionOn = <T extends z.ZodType>(value: T, id: string) => {
  const not = oneOrMore(z.union([value, negated])).describe("What must not hold.").optional();
  return oneOrMore(z.union([value, object({ not, ...operators }, id)]));
};

export const headerCondition = conditionOn(z.string(), "headerOperators");
export const payloadCondition = conditionOn(plainValue, "payloadOperators");

type Operators = z.output<z.ZodObject<typeof operators>>;
type Plain = z.output<typeof plainValue>;
/** One of a list, with its defaults. */
export type CheckedCondition =
  | Plain
  | (Operators & { not?: Plain | Operators | (Plain | Operators)[] | undefined });
