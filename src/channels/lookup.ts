// An id that is needed before a message can be sent, such as a person's direct channel: kept once it is found.
import type { SendOutcome } from "../sdk/channel.ts";

export type Lookup = (name: string, signal: AbortSignal) => Promise<string | SendOutcome>;

const mostKept = 10_000;

export function createLookup(find: Lookup): Lookup {
  const kept = new Map<string, string>();
  return async (name, signal) => {
    const known = kept.get(name);
    if (known !== undefined) return known;
    const found = await find(name, signal);
    if (typeof found === "string" && kept.size < mostKept) kept.set(name, found);
    return found;
  };
}
