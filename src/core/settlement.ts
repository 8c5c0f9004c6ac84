// What follows from an attempt, of a run or of a delivery: stored in one transaction.
import type { DeliveryStatus, NewDelivery } from "./delivery.ts";
import type { EndStatus, RunReport } from "./run.ts";
import type { Signals } from "./signals.ts";
import type { HeartbeatRequest, NewEvent } from "./system-event.ts";

/** Everything that follows from an attempt of a run, in one transaction. Made by `settle` in runner/. */
export type Settlement = {
  next:
    | { kind: "ended"; status: EndStatus; reply: string | null; error: string | null }
    | { kind: "retry"; delayMs: number; error: string }
    /** Given back unharmed, as on a clean stop: costs no attempt. */
    | { kind: "released" };
  workedMs: number;
  /** Null when no prompt was made. */
  signals: Signals | null;
  /** What the agent said about its work; null when it did not get that far. */
  report: RunReport | null;
  /** What this attempt used, for its hook's budget. */
  used: { inputTokens: number; outputTokens: number; cost: number } | null;
  /** How the turn ended in the transcript; null when it is not over. */
  ending: TurnEnding | null;
  summary: NewEvent | null;
  delivery: NewDelivery | null;
  heartbeat: HeartbeatRequest | null;
  /** Events this turn has shown to the model. */
  shownEventIds: readonly string[];
};

/** What stands in the transcript as the agent's answer. */
export type TurnEnding = {
  agentId: string;
  sessionKey: string;
  text: string;
  foreignSession: string | null;
  /** Later turns of the conversation see this one. */
  carried: boolean;
};

/** What follows from an attempt of a delivery, in one transaction. Made in delivery/. */
export type DeliverySettlement = {
  status: DeliveryStatus;
  /** For `waiting`: when to try again. */
  delayMs: number;
  /** An attempt that did not count, as on a clean stop, is given back. */
  countsAttempt: boolean;
  error: string | null;
  sentMessages: number;
  uncertainSends: number;
  notice: NewEvent | null;
  /** What is sent in its place. */
  fallback: NewDelivery | null;
};
