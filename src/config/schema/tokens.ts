// `hooks.token` and `hooks.tokens`: the tokens that callers send.
import { z } from "zod";
import { resultAccesses } from "../../core/action.ts";
import { fileReference, secret } from "./field.ts";
import { checkKeys, hookNameFault, isBuiltIn, trimmedHookName } from "./hook-name.ts";

const isBlank = (written: string): boolean => written.trim() === "";

const listedToken = secret("One of the tokens that count.").refine(
  (written) => !isBlank(written),
  "must not be blank",
);

/** Text, a file, or a list of these. */
export const tokenOrList = (description: string) =>
  z
    .union([z.string(), fileReference, z.array(listedToken)], {
      error: 'must be text, { "file": … }, or a list of these',
    })
    .transform((written) => (Array.isArray(written) ? written : typeof written === "string" ? written : ""))
    .meta({ description, writeOnly: true });

const everyName = "/*";

/** What is wrong with a hook that a token is to open; null when it is good. */
export function openedHookFault(written: string): string | null {
  const name = written.endsWith(everyName) ? written.slice(0, -everyName.length) : written;
  if (isBuiltIn(written)) return null;
  if (name.includes("*") || name === "")
    return 'must be the name of a hook, or a prefix such as "build/*"; hooks.token opens every hook';
  return hookNameFault(written === name ? name : `${name}/x`);
}

const openedHook = trimmedHookName(openedHookFault);

const longestName = 64;

/** What is wrong with the name of a token; null when it is good. */
export const tokenNameFault = (name: string): string | null =>
  /^[A-Za-z0-9-]+$/.test(name) && name.length <= longestName
    ? null
    : `must be a name of letters, digits and dashes, of up to ${longestName}`;

const namedToken = z.strictObject({
  token: tokenOrList("The token. A list while it is being rotated: each of them counts.").refine(
    (written) => ![written].flat().some(isBlank) && written.length > 0,
    "must not be blank",
  ),
  hooks: z
    .array(openedHook)
    .min(1)
    .describe("The hooks that it opens: names, or a prefix such as `build/*`. Any other is 404 for it."),
  callback: z
    .string()
    .trim()
    .describe("Where the results of its runs are sent, where neither mapping nor request says so.")
    .optional(),
  results: z
    .enum(resultAccesses)
    .describe("What it may read of the runs that it started. Left out: as `hooks.results`.")
    .optional(),
});

export const namedTokens = z
  .record(z.string(), namedToken)
  .superRefine(checkKeys(tokenNameFault))
  .default({})
  .describe("Tokens that open only some hooks, by name. The name stands on what their requests lead to.");
