// Shared by all nodes: failed tokens by address, and the trace of a delivery.
import type { Dialect } from "../driver/dialect.ts";

export const addNodes = ({ name }: Dialect): readonly string[] => [
  // Counters of a minute: they may be lost in a crash, and need no flush to disk.
  `create ${name === "postgres" ? "unlogged " : ""}table auth_failure(
     address text primary key,
     failures integer not null,
     ends_at bigint not null
   )`,
  "create index auth_failure_ends on auth_failure(ends_at)",
  "alter table delivery add column trace text",
];
