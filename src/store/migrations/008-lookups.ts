// Indexes that are of use for one thing alone. A database that plans while its tables are empty thinks every index as
// good as another, and keeps that plan: looking for the head of a lane, it read all heads instead; looking for the next
// of a lane, it read the whole table in the order of its key. `-seq` is an order that only these indexes have.

export const narrowLookups = (): readonly string[] => [
  "create index run_due on run(kind, ready_at, seq) where head = 1 and kind is not null",
  "drop index run_ready",
  "create index delivery_due on delivery(channel, ready_at, seq) where head = 1 and status = 'waiting' and channel is not null",
  "drop index delivery_heads",
  "create index run_lane_next on run(lane, (-seq)) where head = 0 and status = 'queued'",
  "drop index run_lane_waiting",
  "create index delivery_lane_next on delivery(lane, (-seq)) where head = 0 and status = 'waiting'",
  "drop index delivery_lane_waiting",
  "create index event_next on event(session_key, (-seq)) where shown_at is null",
  "drop index event_waiting",
];
