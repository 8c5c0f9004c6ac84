// The turns that later runs of a conversation are given, without those that a summary has replaced and without
// heartbeats that had nothing to report, which are most turns of a main session.

export const indexHistory = (): readonly string[] => [
  "create index turn_history on turn(agent_id, session_key, seq) where compacted = 0 and isolated = 0",
];
