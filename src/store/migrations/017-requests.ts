// Every request is kept, with what it led to; attempts of runs; the audit of what operators did; hooks that are paused.
import type { Dialect } from "../driver/dialect.ts";

export const keepRequests = ({ sequence }: Dialect): readonly string[] => [
  "alter table request add column origin text not null default 'http'",
  // JSON: arrival, mapping, decision, runIds, eventIds.
  "alter table request add column about text",
  // `json:` and the text as JSON, or the name of a compression and the bytes in base64: see `programs/bodies.ts`.
  "alter table request add column body text",
  "alter table request add column replay_of text",
  "create index request_hook on request(hook, seq)",
  "create index request_outcome on request(outcome, seq) where outcome <> 'accepted'",
  "create index request_replays on request(replay_of) where replay_of is not null",

  "alter table run add column request_id text",
  "alter table event add column request_id text",

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

  // While a hook is in it, its runs are parked.
  "create table paused_hook(hook text primary key, paused_at bigint not null)",
];
