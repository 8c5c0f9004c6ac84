// How a caller wants the result of what it has sent: wait for it, or hear of it as a stream of events.
import { preferredWait, prefersEvents } from "../http/prefer.ts";
import { longestWaitSeconds } from "../http/prefer.ts";
import type { Hook } from "./decide.ts";
import { waitField } from "./payload/agent.ts";

export type WantedResult = { kind: "wait"; seconds: number } | { kind: "events" };

/** Null: the caller wants the usual response. */
export function wantedResult(
  hook: Pick<Hook, "name">,
  { rawHeaders, body }: { rawHeaders: readonly string[]; body: Buffer },
): WantedResult | null {
  if (prefersEvents(rawHeaders)) return { kind: "events" };
  const seconds = preferredWait(rawHeaders) ?? (hook.name === "agent" ? waitInBody(body) : null);
  return seconds === null ? null : { kind: "wait", seconds };
}

/** The body was checked before. It is parsed again only where it may have this field. */
function waitInBody(body: Buffer): number | null {
  if (!body.includes(waitField) && !body.includes("\\u")) return null;
  const fields = JSON.parse(body.toString("utf8").replace(/^\uFEFF/, "")) as Record<string, unknown>;
  return Object.hasOwn(fields, waitField) && fields[waitField] === true ? longestWaitSeconds : null;
}
