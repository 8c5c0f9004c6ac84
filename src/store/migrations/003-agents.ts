// Transcripts, spending, and whether a run has changed something.
import type { Dialect } from "../driver/dialect.ts";

export const addAgents = ({ sequence }: Dialect): readonly string[] => [
  "alter table run add column report text",
  "alter table run add column acted smallint not null default 0",
  "alter table run add column released smallint not null default 0",

  `create table turn(
     seq ${sequence},
     agent_id text not null,
     session_key text not null,
     run_id text,
     role text not null,
     isolated smallint not null,
     compacted smallint not null default 0,
     text text not null,
     created_at bigint not null
   )`,
  "create index turn_session on turn(agent_id, session_key, seq)",
  // A second attempt replaces the turns of the first.
  "create unique index turn_run on turn(run_id, role) where run_id is not null",
  "create index turn_created on turn(created_at)",

  `create table session(
     agent_id text not null,
     session_key text not null,
     foreign_session text,
     last_at bigint not null,
     primary key (agent_id, session_key)
   )`,
  "create index session_last on session(last_at)",

  `create table spending(
     hook text not null,
     day text not null,
     runs bigint not null default 0,
     input_tokens bigint not null default 0,
     output_tokens bigint not null default 0,
     cost double precision not null default 0,
     announced smallint not null default 0,
     primary key (hook, day)
   )`,
];
