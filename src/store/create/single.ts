// Acceptances that one statement can store, as nearly all are: one run, or only events.
import type { Acceptance } from "../../core/request.ts";
import type { NewRun } from "../../core/run.ts";

export function singleKind({ runs, events, heartbeat, idempotency }: Acceptance): "run" | "events" | null {
  if (idempotency) return null;
  if (runs.length === 0) return events.length > 0 ? "events" : null;
  return runs.length === 1 && events.length === 0 && !heartbeat ? "run" : null;
}

/** The run that may be stored as started. A run of a conversation may have to wait for earlier ones. */
export function isolatedRun(acceptance: Acceptance): NewRun | null {
  const [run] = acceptance.runs;
  return run && singleKind(acceptance) === "run" && run.isolated ? run : null;
}

/** With keys, and the run is named as the acceptance is. */
export function isKeyedRun({ id, runs, events, heartbeat, idempotency }: Acceptance): boolean {
  const [run] = runs;
  const isSingle = runs.length === 1 && events.length === 0 && heartbeat === null;
  return idempotency !== null && isSingle && run!.isolated && run!.id === id;
}
