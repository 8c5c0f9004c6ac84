// Indexes that fit one query each. PostgreSQL plans while its tables are empty, when all indexes look equally good, and
// keeps that plan: to find the head of a lane it read all heads, and to find the next of a lane it read the whole table
// by its key. Only these indexes have the order `-seq`.

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
