// What many nodes share: failed tokens by address, and the trace a delivery belongs to.
import type { Dialect } from "../driver/dialect.ts";

export const addNodes = ({ name }: Dialect): readonly string[] => [
  // Counters of a minute: a database that crashed may forget them, and they cost no flush.
  `create ${name === "postgres" ? "unlogged " : ""}table auth_failure(
     address text primary key,
     failures integer not null,
     ends_at bigint not null
   )`,
  "create index auth_failure_ends on auth_failure(ends_at)",
  "alter table delivery add column trace text",
];
