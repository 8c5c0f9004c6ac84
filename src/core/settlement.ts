// What follows from an attempt of a run or of a delivery.
import type { NewAttemptRecord } from "./attempt-record.ts";
import type { DeliveryStatus, NewDelivery } from "./delivery.ts";
import type { EndStatus, RunReport } from "./run.ts";
import type { Signals } from "./signals.ts";
import type { HeartbeatRequest, NewEvent } from "./system-event.ts";

/** Everything that follows from an attempt of a run, in one transaction. Made by `settle` in runner/. */
export type Settlement = {
  next:
    | { kind: "ended"; status: EndStatus; reply: string | null; error: string | null }
    | { kind: "retry"; delayMs: number; error: string }
    /** Queued again, as on a clean stop; the attempt does not count. */
    | { kind: "released" };
  workedMs: number;
  /** What is kept of the attempt; null: nothing. */
  attempt: NewAttemptRecord | null;
  /** Null when no prompt was made. */
  signals: Signals | null;
  /** What the agent reported; null when it was not called. */
  report: RunReport | null;
  /** What this attempt used, for the budget of this name, or else of its hook. */
  used: { inputTokens: number; outputTokens: number; cost: number; budget?: string } | null;
  /** The end of the run in the transcript; null when it will be retried. */
  ending: TurnEnding | null;
  summary: NewEvent | null;
  delivery: NewDelivery | null;
  /** The result on its way to the program that asked for it. */
  callback: NewDelivery | null;
  heartbeat: HeartbeatRequest | null;
  /** Events that the prompt has shown. */
  shownEventIds: readonly string[];
};

/** The agent's turn in the transcript. */
export type TurnEnding = {
  agentId: string;
  sessionKey: string;
  text: string;
  foreignSession: string | null;
  /** Later runs of the conversation get this turn. */
  carried: boolean;
};

/** What follows from an attempt of a delivery, in one transaction. Made in delivery/. */
export type DeliverySettlement = {
  status: DeliveryStatus;
  /** For `waiting`: when to try again. */
  delayMs: number;
  /** False on a clean stop. */
  countsAttempt: boolean;
  error: string | null;
  sentMessages: number;
  uncertainSends: number;
  notice: NewEvent | null;
  /** Sent in its place. */
  fallback: NewDelivery | null;
};
