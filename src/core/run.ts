// A run is one turn of an agent, stored from acceptance to its end.
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
  kind: RunKind;
  hook: string;
  agentId: string;
  requestedAgentId: string | null;
  sessionKey: string;
  /** True: the run shares nothing with other runs of its session. False: it is a turn of a conversation. */
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
  /** What was noticed in its outside text when its prompt was made; null before its first attempt. */
  signals: Signals | null;
  report: RunReport | null;
};

/** What an agent said about its work, over all attempts. */
export type RunReport = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
  readonly warnings: readonly string[];
  readonly toolsGranted: readonly string[];
  readonly toolsUsed: readonly string[];
};

/** A run in the hands of one worker. Whoever does not hold the lease changes nothing. */
export type ClaimedRun = Run & {
  lease: string;
  /** Time its earlier attempts have worked. */
  elapsedMs: number;
  cancelRequested: boolean;
  /** A tool that changes something has run: it must not be tried again. */
  acted: boolean;
};

export type CancelResult = "cancelled" | "requested" | "ended" | "unknown";

/** The longest `timeoutSeconds` that a request, a mapping or an agent may set: one week. */
export const longestRunSeconds = 604_800;

export const mainSessionKey = "main";
/** Heartbeats asked for within this time become one. */
export const heartbeatDelayMs = 250;
