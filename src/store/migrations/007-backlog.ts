// What waits can be counted without reading what has ended, or the waiting ones' own text.

export const addBacklog = (): readonly string[] => [
  "create index run_taken on run(status) where status in ('running', 'parked')",
  "create index delivery_waiting on delivery(channel, waiting_since) where status = 'waiting'",
];
