// The heads of all lanes have a `head` over 0. Isolated runs can have 2, which is outside of the unique index of heads.

export const separateOwnLanes = (): readonly string[] => [
  "create index run_heads on run(kind, ready_at, seq) where head > 0 and kind is not null",
  "drop index run_due",
];
