// What later turns of a conversation are told of the earlier ones, and no other turns: neither those that a summary
// stands for, nor heartbeats that had nothing to say, which are most of a main session's.

export const indexHistory = (): readonly string[] => [
  "create index turn_history on turn(agent_id, session_key, seq) where compacted = 0 and isolated = 0",
];
