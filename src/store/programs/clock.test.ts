// Every moment in the schema has an entry: how it is healed when the clock was set, or why it needs not be.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { makeFolder } from "../../../test/support/folder.ts";
import { openSqliteEngine } from "../sqlite/engine.ts";
import { moments } from "./clock.ts";

const folder = makeFolder("moments");
after(() => rmSync(folder, { recursive: true, force: true }));

/** Moments that `healClock` leaves as they are. */
const left: Readonly<Record<string, string>> = {
  "auth_failure.ends_at": "one that is more than a window ahead counts as over (programs/auth-failures.ts)",
  "delivery.created_at": "shown, and never compared: lists go by seq",
  "delivery.ended_at": "shown, and kept for longer by as much as the clock was ahead",
  "delivery.sent_at": "shown",
  "attempt.started_at": "shown",
  "attempt.ended_at": "shown, and kept for longer by as much as the clock was ahead",
  "attempt.next_try_at": "shown: the run's own moment decides",
  "audit.created_at": "shown, and kept for longer by as much as the clock was ahead",
  "event.created_at": "shown: the order is that of seq",
  "event.shown_at": "kept for longer by as much as the clock was ahead",
  "mail_account.last_sync_at": "shown",
  "mail_account.watch_expiration": "a date of Google's",
  "mail_seen.at": "known for longer by as much as the clock was ahead",
  "migration.applied_at": "shown to nobody",
  "paused_hook.paused_at": "shown",
  "request.created_at": "shown, and kept for longer by as much as the clock was ahead",
  "run.ended_at":
    "shown, and kept for longer by as much as the clock was ahead; `runs retry --failed` takes it as it is",
  "run.started_at": "shown, and whether it is null",
  "sender_call.last_at": "shown",
  "sender_key.taken_at": "shown, and whether it is null",
  "sender_key.pairing_until":
    "one that is more than the longest window ahead counts as over (programs/senders.ts)",
  "turn.created_at": "shown, and kept for longer by as much as the clock was ahead",
};

/** Text that holds a moment. */
const written: Readonly<Record<string, string>> = {
  "mail_account.cursor": "the date in it is compared with nothing",
  "setting.value":
    "heartbeat-due is at most a period ahead (programs/upkeep.ts); probe is healed in healClock; clock-healed is compared both ways",
  "spending.day": "the day of the calendar, by the new time from the step on",
};

/** Whole numbers that are no moments. */
const numbers: ReadonlySet<string> = new Set([
  "attempt.number",
  "auth_failure.failures",
  "delivery.attempts",
  "delivery.cursor",
  "delivery.doubts",
  "event.bytes",
  "mail_seen.attempts",
  "migration.version",
  "run.attempts",
  "run.elapsed_ms",
  "run.waited_ms",
  "sender_call.calls",
  "sender_call.skew_ms",
  "spending.input_tokens",
  "spending.output_tokens",
  "spending.runs",
  "turn.attempt",
]);

const flags = /smallint/i;

test("each moment of the schema says how it is healed when the clock was set, or why it needs not be", () => {
  const path = join(folder, "moments.db");
  const engine = openSqliteEngine(path);
  const [migrated] = engine.write([{ name: "migrate", input: { now: 0 } }]);
  assert.equal(migrated?.ok, true);
  engine.close();

  const healed = new Set(moments.map(({ table, column }) => `${table}.${column}`));
  const known = new Set([...healed, ...Object.keys(left), ...Object.keys(written), ...numbers]);
  const columns = columnsOf(path);
  const wholeNumbers = columns.filter(
    ({ name, type }) => /int/i.test(type) && !flags.test(type) && !name.endsWith(".seq"),
  );
  assert.deepEqual(
    wholeNumbers.map(({ name }) => name).filter((name) => !known.has(name)),
    [],
    "a new column: heal it in programs/clock.ts, or say here why it needs not be",
  );
  const names = new Set(columns.map(({ name }) => name));
  assert.deepEqual(
    [...known].filter((name) => !names.has(name)),
    [],
    "no such column",
  );
  assert.deepEqual(
    [...healed].filter((name) => name in left),
    [],
  );
});

function columnsOf(path: string): { name: string; type: string }[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database
    .prepare(
      `select tables.name || '.' || columns.name as name, columns.type as type
        from sqlite_schema as tables, pragma_table_info(tables.name) as columns
        where tables.type = 'table' and tables.name not like 'sqlite_%'`,
    )
    .all();
  database.close();
  return rows.map((row) => ({ name: String(row["name"]), type: String(row["type"]) }));
}
