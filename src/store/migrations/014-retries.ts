// How long a run has waited between its attempts, and which runs of hooks an operator may want to retry.

export const addRetries = (): readonly string[] => [
  "alter table run add column waited_ms bigint not null default 0",
  // The id of the run that an operator made of this one.
  "alter table run add column retried_as text",
  "create index run_failed on run(kind, ended_at, seq) where status in ('failed', 'timed-out') and retried_as is null",
];
