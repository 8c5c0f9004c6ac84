// Indexes for claims that nothing else can use. A database that plans while its tables are empty thinks every index as
// good as another, and keeps that plan: looking for the head of a lane, it read all heads instead.

export const narrowLookups = (): readonly string[] => [
  "create index run_due on run(kind, ready_at, seq) where head = 1 and kind is not null",
  "drop index run_ready",
  "create index delivery_due on delivery(channel, ready_at, seq) where head = 1 and status = 'waiting' and channel is not null",
  "drop index delivery_heads",
];
