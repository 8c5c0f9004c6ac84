// What is kept of an attempt. Its times are durations, which the store lays back from its own time.
import type { NewAttemptRecord } from "../core/attempt-record.ts";
import type { EndedAttempt, ReleasedAttempt } from "../core/attempt.ts";
import type { ClaimedRun } from "../core/run.ts";
import type { Settlement } from "../core/settlement.ts";

/** Null for one that was released before its agent was called: nothing happened in it. */
export function attemptRecord(
  { attempts }: Pick<ClaimedRun, "attempts">,
  { kind, workedMs, agentCalled, toolCalls }: EndedAttempt | ReleasedAttempt,
  next: Settlement["next"],
  { node }: { node: string },
): NewAttemptRecord | null {
  if (kind === "released" && !agentCalled) return null;
  const outcome = next.kind === "ended" ? next.status : next.kind;
  const reason = next.kind === "released" ? null : next.error;
  return { number: attempts, node, workedMs, outcome, reason, toolCalls };
}
