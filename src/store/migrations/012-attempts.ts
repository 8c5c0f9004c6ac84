// Which attempt of its run a prompt was stored for: an attempt counts once its prompt is stored, not when it is claimed.
// Null: an earlier version stored it.

export const numberAttempts = (): readonly string[] => ["alter table turn add column attempt integer"];
