// A result: what a caller may read of its run, in every shape in which it is read or sent.
import type { ResultAccess } from "./action.ts";
import { type Run, type RunStatus, runStatuses } from "./run.ts";

/** What a run has come to, without what it said. */
export type RunState = Pick<Run, "id" | "status" | "attempts">;

/** An access that opens something. */
export type OpenAccess = Exclude<ResultAccess, "none">;

const unfinished: ReadonlySet<RunStatus> = new Set(["queued", "parked", "running"]);
export const endStatuses: readonly RunStatus[] = runStatuses.filter((status) => !unfinished.has(status));

export const hasEnded = ({ status }: Pick<RunState, "status">): boolean => !unfinished.has(status);

const steps: Partial<Record<RunStatus, number>> = { queued: 1, parked: 2, running: 3 };
const stepsInAttempt = 4;

/**
 * Counts up with every change of a run's state. It is made of stored facts, so that all nodes agree. Only the number of
 * an end can be divided by four. It goes back when an attempt is released, which does not count.
 */
export function stateNumber({ status, attempts }: Pick<RunState, "status" | "attempts">): number {
  const step = steps[status] ?? stepsInAttempt;
  const before = status === "queued" || status === "parked" ? attempts : Math.max(0, attempts - 1);
  return before * stepsInAttempt + step;
}

const time = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : new Date(milliseconds).toISOString();

/** The public JSON. A failed run is a result as well: its failure is data. */
export function resultResource(run: Run, access: OpenAccess) {
  const { report } = run;
  return {
    ok: true,
    runId: run.id,
    status: run.status,
    ...(access === "reply" && { reply: run.reply, error: run.error }),
    attempts: run.attempts,
    createdAt: time(run.createdAt),
    startedAt: time(run.startedAt),
    endedAt: time(run.endedAt),
    usage: report && {
      inputTokens: report.inputTokens,
      outputTokens: report.outputTokens,
      cost: report.cost,
    },
  };
}
