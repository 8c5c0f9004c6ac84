// Every request is kept, with what it led to; attempts of runs; the audit of what operators did; hooks that are paused.
import type { Dialect } from "../driver/dialect.ts";

export const keepRequests = ({ name, sequence }: Dialect): readonly string[] => [
  "alter table request add column origin text not null default 'http'",
  // JSON: arrival, mapping, decision, runIds, eventIds.
  "alter table request add column about text",
  "alter table request add column replay_of text",
  // The last column: SQLite reads a row up to the column that is asked for. Its form is that of `programs/bodies.ts`.
  "alter table request add column body text",
  // Stored as it is up to a page: compressing it by itself would take a backend longer than all else of a request.
  ...(name === "postgres" ? ["alter table request set (toast_tuple_target = 8160)"] : []),
  // `seq + 0` instead of `seq`: a search by hook cannot be planned over the primary key, which would read the whole table.
  "create index request_hook on request(hook, (seq + 0))",
  "create index request_outcome on request(outcome, (seq + 0)) where outcome <> 'accepted'",
  // With the outcome, so that the requests of the last hour are counted from the index alone.
  "create index request_recent on request(created_at, outcome)",
  "drop index request_created",
  "create index request_replays on request(replay_of) where replay_of is not null",

  "alter table run add column request_id text",
  "alter table event add column request_id text",

  // Runs and deliveries that an operator looks for are few. Those that went well have no entry.
  "create index run_troubled on run(status, (seq + 0)) where status in ('failed', 'timed-out', 'cancelled')",
  // Among many runs of hooks, heartbeats are few.
  "create index run_heartbeats on run((seq + 0)) where kind = 'heartbeat'",
  "create index delivery_troubled on delivery(status, (seq + 0)) where status in ('failed', 'unknown')",
  `create table attempt(
     run_id text not null,
     number integer not null,
     node text not null,
     started_at bigint not null,
     ended_at bigint not null,
     outcome text not null,
     reason text,
     next_try_at bigint,
     tool_calls text,
     primary key (run_id, number)
   )`,
  "create index attempt_ended on attempt(ended_at)",

  `create table audit(
     seq ${sequence},
     id text not null unique,
     actor text not null,
     verb text not null,
     subject text not null,
     outcome text not null,
     created_at bigint not null
   )`,
  "create index audit_created on audit(created_at)",

  // One row in 1,024: where a time begins in the order of a table, without an index entry for every row.
  ...["request", "run", "event", "delivery", "audit"].map(
    (table) =>
      `create index ${table}_marks on ${table}((created_at + 0), created_at, seq) where seq % 1024 = 0`,
  ),

  // While a hook is in it, its runs are parked.
  "create table paused_hook(hook text primary key, paused_at bigint not null)",
];
