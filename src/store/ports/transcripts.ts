// The turns of each session.
import type { Session, TranscriptTurn } from "../../core/transcript.ts";

export type Transcripts = {
  /** Oldest first, including compacted ones. */
  listTurns(of: { runId: string } | { agentId: string; sessionKey: string }): Promise<TranscriptTurn[]>;
  /** Last used first. */
  listSessions(limit: number): Promise<Session[]>;
  /** The next run of the session gets no earlier turns; they stay in the list. False: there is no such session. */
  resetSession(session: { agentId: string; sessionKey: string }): Promise<boolean>;
  /**
   * A summary replaces all turns up to `upTo` for later runs. False when the lease of the run that made it was lost:
   * another node may have made a newer one.
   */
  compact(compaction: {
    runId: string;
    lease: string;
    agentId: string;
    sessionKey: string;
    upTo: number;
    summary: string;
  }): Promise<boolean>;
};
