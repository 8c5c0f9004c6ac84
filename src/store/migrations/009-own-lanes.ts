// The heads of all lanes have a `head` over 0. Earlier versions stored isolated runs with 2, outside of the unique index
// of heads; such rows can still be there.

export const separateOwnLanes = (): readonly string[] => [
  "create index run_heads on run(kind, ready_at, seq) where head > 0 and kind is not null",
  "drop index run_due",
];
