// Unfinished runs and deliveries can be counted from an index, without reading finished rows or texts.

export const addBacklog = (): readonly string[] => [
  "create index run_taken on run(status) where status in ('running', 'parked')",
  "create index delivery_waiting on delivery(channel, waiting_since) where status = 'waiting'",
];
