// The audit of what operators did.
import type { AuditEntry, AuditOutcome, NewAuditEntry } from "../../core/audit.ts";
import type { Dialect } from "../driver/dialect.ts";
import type { Program, Row } from "../driver/program.ts";
import type { AuditSearch } from "../ports/audit.ts";
import type { Found } from "../ports/search.ts";
import { encode } from "./rows.ts";
import { searchPage } from "./search.ts";
import { atTime, isOneOf } from "./searches.ts";
import { jsonIn } from "./shapes.ts";
import * as shapes from "./shapes.ts";

/** The subject may name what came from outside. */
export function* addAudit(_dialect: Dialect, entry: NewAuditEntry & { now: number }): Program<void> {
  const { id, actor, verb, subject, outcome, now } = entry;
  yield {
    sql: "insert into audit(id, actor, verb, subject, outcome, created_at) values ($1, $2, $3, $4, $5, $6)",
    values: [id, actor, verb, encode(subject), outcome, now],
  };
}

const toEntry = (row: Row): AuditEntry => ({
  seq: Number(row["seq"]),
  id: String(row["id"]),
  actor: String(row["actor"]),
  verb: String(row["verb"]),
  subject: jsonIn(row, "subject", shapes.text, "show") as string,
  outcome: String(row["outcome"]) as AuditOutcome,
  createdAt: Number(row["created_at"]),
});

export const searchAudit = (dialect: Dialect, search: AuditSearch): Program<Found<AuditEntry>> =>
  searchPage({
    table: "audit",
    columns: "seq, id, actor, verb, subject, outcome, created_at",
    toItem: toEntry,
    limit: search.limit,
    before: search.before,
    since: search.since ?? null,
    until: search.until ?? null,
    conditions: [
      ...atTime(search),
      ...isOneOf(dialect, "actor", search.actors),
      ...isOneOf(dialect, "verb", search.verbs),
      ...isOneOf(dialect, "outcome", search.outcomes),
    ],
    paths: [],
  });
