// An attempt of a run: how it starts.
import type { Budget } from "./spending.ts";
import type { History } from "./transcript.ts";

/** What is stored when an attempt starts. */
export type AttemptStart = {
  id: string;
  lease: string;
  /** Of the run, whose budget it is held to. */
  hook: string;
  agentId: string;
  sessionKey: string;
  /** No conversation: nothing said before is carried. */
  isolated: boolean;
  /** Of a conversation: how much of what was said before is read, to the whole turn above it. */
  historyCharacters: number;
  prompt: string;
  /** Null: it is not held to any. */
  budget: Budget | null;
};

export type AttemptStarted =
  | { kind: "go"; history: History; foreignSession: string | null }
  /** Over its hook's budget: it waits for the next day, or to be released. */
  | { kind: "parked"; reason: string }
  | { kind: "lost" };

/** The first turn of a run that is claimed as it is stored. */
export type FirstTurn = { start: AttemptStart; leaseMs: number };
