// A run: one piece of work for an agent, stored from its acceptance to its end.
//
//   queued ──claim──▶ running ──settle──▶ succeeded | failed | timed-out | cancelled
//     ▲  │              │
//     │  └─cancel──▶ cancelled
//     └──retry, release (clean stop), expired lease
import type { RunRequest } from "./action.ts";
import type { Signals } from "./signals.ts";

export const runStatuses = [
  "queued",
  "parked",
  "running",
  "succeeded",
  "failed",
  "timed-out",
  "cancelled",
] as const;
export type RunStatus = (typeof runStatuses)[number];
export type EndStatus = "succeeded" | "failed" | "timed-out" | "cancelled";

export type RunKind = "hook" | "heartbeat";

export type NewRun = {
  id: string;
  /** The kept request that it came from. */
  requestId: string | null;
  kind: RunKind;
  hook: string;
  agentId: string;
  requestedAgentId: string | null;
  sessionKey: string;
  /** True: the run shares nothing with other runs of its session. False: it is part of a conversation. */
  isolated: boolean;
  request: RunRequest;
};

export type Run = NewRun & {
  status: RunStatus;
  attempts: number;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
  reply: string | null;
  error: string | null;
  /** Signs of an attack in its outside text; null before its first prompt was made. */
  signals: Signals | null;
  report: RunReport | null;
  /** While it runs: the last line that its program wrote to standard error. Read only where one run is shown. */
  lastLine: string | null;
  /** When a queued run that has failed before may be tried again; `error` says why it failed. Null for every other. */
  nextTryAt: number | null;
  /** The run that an operator made of this one, the last if there are several. */
  retriedAs: string | null;
};

/** What the agent reported, over all attempts. */
export type RunReport = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
  readonly warnings: readonly string[];
  readonly toolsGranted: readonly string[];
  readonly toolsUsed: readonly string[];
};

/** A run claimed by one worker. Every change needs its lease. */
export type ClaimedRun = Run & {
  lease: string;
  /** The working time of its earlier attempts. */
  elapsedMs: number;
  /** The waits between its attempts, for another try. */
  waitedMs: number;
  cancelRequested: boolean;
  /** A tool that changes something was called: the run must not be retried. */
  acted: boolean;
};

/** Hook runs that failed or timed out from one time to another, both included, and were not retried by an operator. */
export type FailedRuns = {
  endedFrom: number;
  endedUntil: number;
  hook: string | null;
  agentId: string | null;
};

export type FailedRun = Pick<Run, "id" | "hook" | "agentId"> & {
  endedAt: number;
  seq: number;
  /** A tool that changes something was called. */
  acted: boolean;
};

export type CancelResult = "cancelled" | "requested" | "ended" | "unknown";

/** The longest `timeoutSeconds` that a request, a mapping or an agent may set: one week. */
export const longestRunSeconds = 604_800;

export const mainSessionKey = "main";
/** Heartbeats requested within this time become one. */
export const heartbeatDelayMs = 250;
