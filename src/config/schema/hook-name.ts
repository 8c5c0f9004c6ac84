// Names of hooks: what stands under `hooks.path` in a request.
import { z } from "zod";

const builtInNames = ["wake", "agent"];
const nameCharacters = /^[A-Za-z0-9\-._~!$&'()*+,;=:@%/]+$/;

export const isBuiltIn = (name: string): boolean => builtInNames.includes(name);

/** What is wrong with a name without slashes at its ends; null when it is good. */
export function hookNameFault(name: string): string | null {
  if (name === "") return "must name a hook";
  if (isBuiltIn(name))
    return `can never be reached: "${name}" is built in, and built-in names win`;
  if (!nameCharacters.test(name) || /\/\/|%2f|%5c|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(name))
    return "can never be reached: no request path can have this name";
  return null;
}

export const trimHookName = (written: string): string => written.trim().replace(/^\/+|\/+$/g, "");

/** `faultOf` gets the name without slashes at its ends. */
export const trimmedHookName = (faultOf: (name: string) => string | null) =>
  z.string().transform((written, context) => {
    const name = trimHookName(written);
    const fault = faultOf(name);
    if (fault === null) return name;
    context.issues.push({ code: "custom", message: fault, input: written });
    return z.NEVER;
  });

export const hookName = trimmedHookName(hookNameFault);

/** For `superRefine` of a record: each key that has a fault is a problem of its own. */
export const checkKeys =
  (faultOf: (name: string) => string | null) =>
  (named: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
    for (const name of Object.keys(named)) {
      const fault = faultOf(name);
      if (fault !== null) context.addIssue({ code: "custom", path: [name], message: fault });
    }
  };
