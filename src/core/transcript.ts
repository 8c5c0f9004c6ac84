// A transcript: all turns of a session. Turns that no longer fit into a model's window are compacted: for later runs, a
// summary replaces them.
import type { UnreadableRow } from "./unreadable.ts";

export type TranscriptRole = "user" | "assistant" | "summary";

export type TranscriptTurn = {
  seq: number;
  agentId: string;
  sessionKey: string;
  /** Null for a summary. */
  runId: string | null;
  role: TranscriptRole;
  text: string;
  createdAt: number;
  /** A summary has replaced it, or the session was reset. */
  compacted: boolean;
};

/** The newest turns of a conversation, summaries first; `hasOlder`: there are more than were to be read. */
export type History = {
  readonly turns: readonly TranscriptTurn[];
  readonly hasOlder: boolean;
  /** Turns that are left out because they cannot be read. */
  readonly unreadable?: readonly UnreadableRow[];
};

export const noHistory: History = { turns: [], hasOlder: false };

export type Session = {
  agentId: string;
  sessionKey: string;
  turns: number;
  lastAt: number;
  /** The agent's own session id. */
  foreignSession: string | null;
};
