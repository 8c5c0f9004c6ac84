// The first schema. Times are epoch milliseconds; outside text is JSON-encoded (NUL and lone surrogates survive).
import type { Dialect } from "../driver/dialect.ts";

export const createTables = ({ sequence }: Dialect): readonly string[] => [
  `create table run(
     seq ${sequence},
     id text not null unique,
     kind text not null,
     hook text not null,
     agent_id text not null,
     requested_agent_id text,
     session_key text not null,
     lane text not null,
     head smallint not null,
     status text not null,
     attempts integer not null default 0,
     elapsed_ms bigint not null default 0,
     cancel_requested smallint not null default 0,
     created_at bigint not null,
     ready_at bigint not null,
     claimed_at bigint,
     started_at bigint,
     ended_at bigint,
     lease text,
     request text not null,
     reply text,
     error text
   )`,
  // One head a lane; a claim is one indexed read of the heads, however long any lane is.
  "create unique index run_lane_head on run(lane) where head = 1",
  "create index run_ready on run(kind, ready_at, seq) where head = 1",
  "create index run_lane_waiting on run(lane, seq) where head = 0 and status = 'queued'",
  // Heartbeat requests coalesce: only one may be queued that has not started.
  "create unique index run_heartbeat_waiting on run(kind) where kind = 'heartbeat' and status = 'queued' and started_at is null",
  "create index run_ended on run(ended_at) where ended_at is not null",

  `create table event(
     seq ${sequence},
     id text not null unique,
     session_key text not null,
     source text not null,
     hook text,
     run_id text,
     text text not null,
     created_at bigint not null,
     shown_at bigint
   )`,
  "create index event_waiting on event(session_key, seq) where shown_at is null",
  "create index event_shown on event(shown_at) where shown_at is not null",
  // A run has at most one summary.
  "create unique index event_summary on event(run_id) where run_id is not null",

  `create table delivery(
     seq ${sequence},
     id text not null unique,
     run_id text not null,
     channel text not null,
     recipient text,
     text text not null,
     status text not null,
     attempts integer not null default 0,
     created_at bigint not null,
     ready_at bigint not null,
     sent_at bigint,
     ended_at bigint,
     lease text,
     error text
   )`,
  "create index delivery_ready on delivery(ready_at, seq) where status = 'waiting'",
  "create index delivery_run on delivery(run_id)",
  "create index delivery_ended on delivery(ended_at) where ended_at is not null",

  `create table request(
     seq ${sequence},
     id text not null unique,
     hook text not null,
     outcome text not null,
     reason text not null,
     created_at bigint not null
   )`,
  "create index request_created on request(created_at)",

  `create table idempotency(
     hook text not null,
     key text not null,
     fingerprint text not null,
     acceptance_id text not null,
     answer text not null,
     created_at bigint not null,
     primary key (hook, key)
   )`,
  "create index idempotency_created on idempotency(created_at)",

  "create table setting(name text primary key, value text not null)",
];
