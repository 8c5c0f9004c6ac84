// A transcript is what was said in a session, turn by turn. All of it is kept; what no longer fits into a model's
// window is compacted: a summary turn stands for it from then on.

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
  /** A summary stands for it. */
  compacted: boolean;
};

/** The newest turns of a conversation, summaries first; `hasOlder`: more was said before than was to be read. */
export type History = { readonly turns: readonly TranscriptTurn[]; readonly hasOlder: boolean };

export const noHistory: History = { turns: [], hasOlder: false };

export type Session = {
  agentId: string;
  sessionKey: string;
  turns: number;
  lastAt: number;
  /** The agent's own name for the conversation. */
  foreignSession: string | null;
};
