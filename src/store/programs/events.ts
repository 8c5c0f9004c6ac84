// Stores system events.
import type { NewEvent } from "../../core/system-event.ts";
import type { Dialect } from "../driver/dialect.ts";
import { command, nothing, type Program, type Query, type Value } from "../driver/program.ts";
import { encode, eventRowColumns } from "./rows.ts";

const storedColumns = "id, session_key, source, hook, run_id, text, bytes, request_id, created_at";
const storedValues = (item: string, now: string): string =>
  `${item}.id, ${item}.session, ${item}.source, ${item}.hook, ${item}.run, ${item}.text, octet_length(${item}.text), ${item}.origin, ${now}`;

/** An insert of events, as a part of a statement: `source` has their rows. */
export const insertEventsFrom = (source: string, condition: string, now: string): string =>
  `insert into event(${storedColumns}) select ${storedValues(source, now)} from ${source} where ${condition}`;

/** `events` are rows of `toEventRow`. */
export function insertEvents(
  dialect: Dialect,
  input: { events: readonly (readonly Value[])[]; now: number | null },
): Query<void> {
  if (input.events.length === 0) return nothing;
  return command({
    sql: `insert into event(${storedColumns})
      ${dialect.stored(eventRowColumns, 1, storedValues("item", dialect.timeOf("$1")))}`,
    values: [input.now],
    rows: { columns: eventRowColumns, items: input.events },
  });
}

/** Events that cannot be read no longer wait; each leaves a notice in its place, once. The rows stay as they are. */
export function* setEventsAside(
  _dialect: Dialect,
  input: { events: readonly { id: string; notice: NewEvent }[]; now: number },
): Program<void> {
  for (const { id, notice } of input.events) {
    const found = yield {
      sql: "update event set shown_at = cast($2 as bigint) where id = $1 and shown_at is null returning id",
      values: [id, input.now],
    };
    if (found.length > 0) yield* insertEvent(notice, null, input.now);
  }
}

/** One event; with `runId` it is that run's summary, of which there can be only one. */
export function* insertEvent(event: NewEvent, runId: string | null, now: number): Program<void> {
  yield {
    sql: "insert into event(id, session_key, source, hook, run_id, text, bytes, created_at) values ($1, $2, $3, $4, $5, $6, octet_length($6), $7)",
    values: [event.id, event.sessionKey, event.source, event.hook, runId, encode(event.text), now],
  };
}
