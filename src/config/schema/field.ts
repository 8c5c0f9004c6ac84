// The building blocks of the schema: what a text, a number, a duration or a secret may look like.
import { z } from "zod";
import { parseDuration } from "../../core/duration.ts";

// A config is read once: interpreting the schema is faster than compiling it, and generates no code.
z.config({ jitless: true });

/** Text that is trimmed and not blank. */
export const text = () =>
  z
    .string()
    .trim()
    .min(1)
    .refine((written) => !written.includes("\0"), "must not have a zero character in it");

export const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable");
/** Rouse sets these for each run. */
const runVariable = /^ROUSE_(?:RUN_ID|AGENT_ID|SESSION_KEY|MODEL|THINKING|WORKSPACE)$/;
/** Systems refuse to start a program with a longer one. */
const longestValueBytes = 100_000;

export const argument = z
  .string()
  .refine((written) => !written.includes("\0"), "must not have a zero character in it");

export const wholeNumber = (least: number, most: number) => z.int().min(least).max(most);

/** Seconds may have a fraction; the minimum is a millisecond. */
export const seconds = (most: number, least = 0.001) => z.number().min(least).max(most);

export const fileReference = z.strictObject({
  file: text().describe("A file with the secret, relative to this config."),
});

/** A secret as text or as a file reference. Loading replaces the reference before the schema is applied. */
export const secret = (description: string) =>
  z
    .union([z.string(), fileReference], { error: 'must be text, or { "file": … }' })
    .transform((written) => (typeof written === "string" ? written : ""))
    .meta({ description, writeOnly: true });

const variableValue = secret("The variable's value.")
  .refine((written) => !written.includes("\0"), "must not have a zero character in it")
  .refine(
    (written) => Buffer.byteLength(written) <= longestValueBytes,
    `must have at most ${longestValueBytes} bytes`,
  );

/** Names of variables to pass on, or variables with their values. */
export const variables = z.union(
  [
    z.array(variableName),
    z.record(
      variableName.refine((name) => !runVariable.test(name), "is a variable that Rouse sets for each run"),
      variableValue,
    ),
  ],
  { error: "must be a list of names, or an object of names and values" },
);

type DurationLimits = { least: string; most: string; offAllowed?: boolean };

/** Milliseconds, written as people write durations. `offAllowed`: a bare 0 means off. */
export const duration = (limits: DurationLimits) =>
  z
    .union([z.string(), z.literal(0)], {
      error: 'must be a duration in quotes, such as "90s", "30m", "12h" or "7d"',
    })
    .meta({ duration: limitsOf(limits) })
    .transform((written, context) => {
      const milliseconds = parseDuration(String(written));
      const within = milliseconds !== null && isWithin(milliseconds, limits);
      if (within) return milliseconds;
      const message =
        milliseconds === null
          ? 'must be a duration such as "90s", "30m", "12h" or "7d"'
          : `must be from ${limitsOf(limits)}${limits.offAllowed ? " to turn it off" : ""}`;
      context.issues.push({ code: "custom", message, input: written });
      return z.NEVER;
    });

const limitsOf = ({ least, most, offAllowed }: DurationLimits): string =>
  `${least} to ${most}${offAllowed ? ", or 0" : ""}`;

function isWithin(milliseconds: number, limits: DurationLimits) {
  if (milliseconds === 0) return limits.offAllowed === true;
  return milliseconds >= (parseDuration(limits.least) ?? 0) && milliseconds <= (parseDuration(limits.most) ?? 0);
}
