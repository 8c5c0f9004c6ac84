// A run in a lane of its own has nobody to wait for: its `head` is 2, which keeps it out of the index of the lanes'
// heads (a sixth of what it costs PostgreSQL to store it). Whoever is at the head of a lane, shared or not, has a `head`
// over 0; a node of the version before claims those with 1, and leaves the others to nodes that know them.

export const separateOwnLanes = (): readonly string[] => [
  "create index run_heads on run(kind, ready_at, seq) where head > 0 and kind is not null",
  "drop index run_due",
];
