// An attempt of a run or of a delivery: how it starts and how it ends.
import type { ToolCall } from "./attempt-record.ts";
import type { Outcome } from "./outcome.ts";
import type { DeliverySettlement } from "./settlement.ts";
import type { Signals } from "./signals.ts";
import type { Budget } from "./spending.ts";
import type { Target } from "./target.ts";
import type { History } from "./transcript.ts";

/** What is stored when an attempt starts. */
export type AttemptStart = {
  id: string;
  lease: string;
  /** The hook, or the mapping, whose budget the attempt counts against. */
  hook: string;
  agentId: string;
  sessionKey: string;
  /** Not a conversation: the agent gets no earlier turns. */
  isolated: boolean;
  /** For a conversation: how many characters of earlier turns to read. The turn that crosses the limit is included. */
  historyCharacters: number;
  prompt: string;
  /** Null: it counts against no budget. */
  budget: Budget | null;
};

export type AttemptStarted =
  | { kind: "go"; history: History; foreignSession: string | null }
  | ParkedAttempt
  | LostAttempt;

/** The first attempt of a run that is claimed and started in the transaction that accepts it. */
export type FirstAttempt = { start: AttemptStart; leaseMs: number };

/** How one attempt of a run ended. */
export type Attempt = EndedAttempt | ParkedAttempt | ReleasedAttempt | LostAttempt;

/** The attempt is over, whether or not the agent was called. `settle` in runner/ says what follows from it. */
export type EndedAttempt = {
  kind: "ended";
  outcome: Outcome;
  workedMs: number;
  /** Null when no prompt was made. */
  signals: Signals | null;
  /** The agent was called. */
  agentCalled: boolean;
  model: string | null;
  toolsGranted: readonly string[];
  toolCalls: readonly ToolCall[];
  /** The events that a heartbeat's prompt has shown. */
  shownEventIds: readonly string[];
  /** Events are waiting that did not fit into a heartbeat's prompt. */
  leftOver: boolean;
};

/** The hook is over its budget: the run waits until the next day, or until an operator releases it. */
export type ParkedAttempt = { kind: "parked"; reason: string };

/** The gateway stops: the run goes back to the queue as if it had never been claimed. */
export type ReleasedAttempt = { kind: "released" } & Pick<
  EndedAttempt,
  "workedMs" | "agentCalled" | "toolCalls"
>;

/** Another node holds the lease: nothing of this attempt may be stored. */
export type LostAttempt = { kind: "lost" };

/** How one attempt of a delivery ended. `moved`: its target has changed, so it is queued for the new one. */
export type DeliveryAttempt =
  | { kind: "settled"; settlement: DeliverySettlement }
  | { kind: "moved"; to: Target }
  | LostAttempt;
