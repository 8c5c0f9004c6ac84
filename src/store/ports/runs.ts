// Runs: the queue, and every attempt.
import type { AttemptRecord } from "../../core/attempt-record.ts";
import type { AttemptStart, AttemptStarted } from "../../core/attempt.ts";
import type { Backlog } from "../../core/backlog.ts";
import type { Claim } from "../../core/lease.ts";
import type { RunState } from "../../core/result.ts";
import type { CancelResult, ClaimedRun, FailedRun, FailedRuns, Run, RunKind } from "../../core/run.ts";
import type { Settlement } from "../../core/settlement.ts";
import type { Spending } from "../../core/spending.ts";
import type { HeartbeatRequest, NewEvent } from "../../core/system-event.ts";
import type { Page } from "./page.ts";

export type Runs = {
  claimRuns(claim: {
    kind: RunKind;
    limit: number;
    lease: string;
    leaseMs: number;
  }): Promise<Claim<ClaimedRun>>;
  /** Extends the leases that are still held. Returns those runs, and those of them that are to be cancelled. */
  renewRuns(renewal: {
    ids: readonly string[];
    lease: string;
    leaseMs: number;
  }): Promise<{ held: string[]; cancelled: string[] }>;
  /** Stores the prompt and counts the run against the budget, before the agent is called. */
  startRun(start: AttemptStart): Promise<AttemptStarted>;
  /** The run will not be retried. False when the lease was lost: then the agent may change nothing. */
  markActed(run: { id: string; lease: string }): Promise<boolean>;
  /** Stores the last line of its program, shown while this lease is held. False when the lease was lost. */
  noteLastLine(run: { id: string; lease: string; line: string }): Promise<boolean>;
  /** False when the lease was lost. */
  settleRun(run: Pick<ClaimedRun, "id" | "lease" | "kind">, settlement: Settlement): Promise<boolean>;
  /** A waiting run ends at once, with its summary; a running one is stopped by its worker. */
  cancelRun(
    id: string,
    ended: { error: string; summary: NewEvent | null; heartbeat: HeartbeatRequest | null },
  ): Promise<CancelResult>;
  /** Queues a new run with the request of one that has ended. */
  repeatRun(id: string, newId: string): Promise<"queued" | "not-ended" | "unknown">;
  /** One page behind `after`, in the order in which they ended. */
  listFailedRuns(
    page: FailedRuns & { limit: number; after: Pick<FailedRun, "endedAt" | "seq"> | null },
  ): Promise<FailedRun[]>;
  /**
   * Queues new runs with the requests of these failed ones in one transaction, those of a conversation in this order.
   * What was retried meanwhile is left out; what cannot be read stays as it is.
   */
  repeatFailedRuns(
    repeats: readonly { id: string; newId: string }[],
  ): Promise<{ queued: { id: string; newId: string }[]; unreadable: { id: string; reason: string }[] }>;
  /** Queues parked runs: one, those of a hook, or all. Returns how many. */
  releaseRuns(which: { id: string | null; hook: string | null }): Promise<number>;
  findRun(id: string): Promise<Run | null>;
  /** What is kept of the attempts of a run that have ended, oldest first. One whose process died is not among them. */
  listAttempts(runId: string): Promise<AttemptRecord[]>;
  /** The states of these runs, which are read faster than the runs; in any order, without those that are not there. */
  runStates(ids: readonly string[]): Promise<RunState[]>;
  listRuns(page: Page & { kind: RunKind }): Promise<Run[]>;
  /** Unfinished runs that are not running. */
  countWaiting(): Promise<number>;
  /** Counts of everything unfinished. */
  backlog(): Promise<Backlog>;
  /** What hooks have used today. */
  listSpending(): Promise<Spending[]>;
};
