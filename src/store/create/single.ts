// What nearly all requests lead to, and can be stored by a single statement: one run, or events, and nothing else.
import type { NewRun } from "../../core/run.ts";
import type { Acceptance } from "../../core/request.ts";

export function loneKind({ runs, events, heartbeat, idempotency }: Acceptance): "run" | "events" | null {
  if (idempotency) return null;
  if (runs.length === 0) return events.length > 0 ? "events" : null;
  return runs.length === 1 && events.length === 0 && !heartbeat ? "run" : null;
}

/** The run that may be stored as claimed: one of a conversation has to wait for its turn. */
export function isolatedRun(acceptance: Acceptance): NewRun | null {
  const [run] = acceptance.runs;
  return run && loneKind(acceptance) === "run" && run.isolated ? run : null;
}
