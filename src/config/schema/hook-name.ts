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

export const hookName = z.string().transform((written, context) => {
  const name = written.trim().replace(/^\/+|\/+$/g, "");
  const fault = hookNameFault(name);
  if (fault === null) return name;
  context.issues.push({ code: "custom", message: fault, input: written });
  return z.NEVER;
});
