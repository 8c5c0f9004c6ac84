// What was said in each session.
import type { Session, TranscriptTurn } from "../../core/transcript.ts";

export type Transcripts = {
  /** Oldest first, compacted ones too. */
  listTurns(of: { runId: string } | { agentId: string; sessionKey: string }): Promise<TranscriptTurn[]>;
  /** Last used first. */
  listSessions(limit: number): Promise<Session[]>;
  /** The next turn begins anew; the record stays. */
  resetSession(session: { agentId: string; sessionKey: string }): Promise<boolean>;
  /** A summary stands for all turns up to `upTo` from now on. */
  compact(session: { agentId: string; sessionKey: string; upTo: number; summary: string }): Promise<void>;
};
