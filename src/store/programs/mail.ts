// Mail accounts: one node syncs at a time, and stores messages and the cursor in one transaction.
import type {
  ClaimedMailAccount,
  MailAccount,
  MailStatus,
  WaitingMail,
  MailCommit,
  MailNote,
  SubscriptionNote,
  TakenMail,
} from "../../core/mail.ts";
import type { Dialect } from "../driver/dialect.ts";
import { ask, type Program, type Row, type Value } from "../driver/program.ts";
import { insertRuns } from "./enqueue.ts";
import { insertEvent, insertEvents } from "./events.ts";
import { requestHeartbeat } from "./heartbeats.ts";
import { mayAsk } from "./paused.ts";
import { insertRequests, toAcceptedRow, toUnusedRow } from "./requests.ts";
import { jsonIn, readEach, type Reading } from "./shapes.ts";
import * as shapes from "./shapes.ts";
import { encode, encodeOrNull, idColumn, numberOrNull, toEventRow, toRunRow } from "./rows.ts";

const columns = "id, cursor, cursor_at, last_sync_at, status, last_error, watch_expiration, watch_due_at";

const toAccount = (row: Row, reading: Reading = "use"): MailAccount => ({
  id: String(row["id"]),
  cursor: jsonIn(row, "cursor", shapes.text, reading) as string | null,
  cursorAt: numberOrNull(row["cursor_at"]),
  lastSyncAt: numberOrNull(row["last_sync_at"]),
  status: String(row["status"]) as MailStatus,
  lastError: jsonIn(row, "last_error", shapes.text, reading) as string | null,
  watchExpiration: numberOrNull(row["watch_expiration"]),
  watchDueAt: numberOrNull(row["watch_due_at"]),
});

type Held = { id: string; lease: string };

/** Null while another node has the lease. A cursor that cannot be read is no cursor of any mailbox: see `reason`. */
export function* claimMailbox(
  _dialect: Dialect,
  input: Held & { leaseMs: number; now: number; leasesBy?: number | null },
): Program<{ account: ClaimedMailAccount; reason: string | null } | null> {
  yield* addAccount(input.id);
  const [row] = yield {
    sql: `update mail_account set lease = $2, lease_until = cast($3 as bigint)
      where id = $1 and (lease is null or lease = $2 or lease_until <= cast($4 as bigint)) returning ${columns}`,
    values: [
      input.id,
      input.lease,
      input.now + input.leaseMs,
      Math.min(input.now, input.leasesBy ?? input.now),
    ],
  };
  if (!row) return null;
  const [fault] = readEach([row], (each) => toAccount(each)).unreadable;
  const account = toAccount(row, "show");
  const watchDueInMs = account.watchDueAt === null ? null : account.watchDueAt - input.now;
  return { account: { ...account, watchDueInMs }, reason: fault?.reason ?? null };
}

function* addAccount(id: string): Program<void> {
  yield { sql: "insert into mail_account(id) values ($1) on conflict (id) do nothing", values: [id] };
}

export function* renewMailbox(
  dialect: Dialect,
  input: Held & { leaseMs: number; now: number | null },
): Program<boolean> {
  const held = yield {
    sql: `update mail_account set lease_until = ${dialect.timeOf("$3")} + cast($4 as bigint) where id = $1 and lease = $2 returning id`,
    values: [input.id, input.lease, input.now, input.leaseMs],
  };
  return held.length > 0;
}

export function* releaseMailbox(_dialect: Dialect, input: Held): Program<void> {
  yield {
    sql: "update mail_account set lease = null, lease_until = null where id = $1 and lease = $2",
    values: [input.id, input.lease],
  };
}

/** The messages that were never taken in, in their order. */
export function* unseenMail(
  dialect: Dialect,
  input: { id: string; messageIds: readonly string[] },
): Program<string[]> {
  const seen = yield {
    sql: `select message_id from mail_seen join ${dialect.rows(idColumn, 1)} on message_id = item.id where account = $1`,
    values: [input.id],
    rows: { columns: idColumn, items: input.messageIds.map((id) => [id]) },
  };
  const known = new Set(seen.map((row) => row["message_id"]));
  return input.messageIds.filter((id) => !known.has(id));
}

export function* waitingMail(
  _dialect: Dialect,
  input: { id: string; limit: number; now: number },
): Program<WaitingMail[]> {
  const rows = yield {
    sql: `select message_id, attempts from mail_seen
      where account = $1 and outcome = 'waiting' and ready_at <= $2 order by ready_at limit $3`,
    values: [input.id, input.now, input.limit],
  };
  return rows.map((row) => ({ id: String(row["message_id"]), attempts: Number(row["attempts"]) }));
}

/** Null when the lease was lost; else the ids of the new messages, which alone were stored. */
export function* commitMail(dialect: Dialect, input: MailCommit & { now: number }): Program<string[] | null> {
  const { id, lease, mails, now } = input;
  const [account] = yield {
    sql: `select lease from mail_account where id = $1 ${dialect.forUpdate}`,
    values: [id],
  };
  if (account?.["lease"] !== lease) return null;
  const fresh = mails.length > 0 ? yield* markSeen(dialect, id, mails, now) : new Set<Value>();
  yield* storeFollowing(
    dialect,
    mails.filter((mail) => fresh.has(mail.id)),
    now,
  );
  if (input.end) yield* endSync(dialect, input, input.end);
  return mails.flatMap((mail) => (fresh.has(mail.id) ? [mail.id] : []));
}

const seenColumns = ["id", "outcome", "ready"] as const;

function* markSeen(
  dialect: Dialect,
  account: string,
  mails: readonly TakenMail[],
  now: number,
): Program<Set<Value>> {
  const readyAt = ({ retryInMs }: TakenMail) => (retryInMs === null ? null : String(now + retryInMs));
  const marked = yield {
    sql: `insert into mail_seen(account, message_id, outcome, ready_at, at)
      ${dialect.stored(seenColumns, 2, "$1, item.id, item.outcome, cast(item.ready as bigint), cast($2 as bigint)")}
      on conflict (account, message_id) do update set outcome = excluded.outcome, ready_at = excluded.ready_at,
        at = excluded.at, attempts = mail_seen.attempts + 1
      where mail_seen.outcome = 'waiting'
      returning message_id`,
    values: [account, now],
    rows: { columns: seenColumns, items: mails.map((mail) => [mail.id, mail.outcome, readyAt(mail)]) },
  };
  return new Set(marked.map((row) => row["message_id"] ?? null));
}

function* storeFollowing(dialect: Dialect, mails: readonly TakenMail[], now: number): Program<void> {
  const accepted = mails.flatMap(({ acceptance }) => acceptance ?? []);
  const events = accepted.flatMap((each) => each.events.map((event) => toEventRow(event)));
  yield* ask(insertEvents(dialect, { events, now }));
  const runs = accepted.flatMap((each) => each.runs.map(toRunRow));
  if (runs.length > 0) yield* insertRuns(dialect, { runs, now });
  const askers = accepted.filter((each) => each.heartbeat);
  const asking = askers.map(({ hook }) => hook);
  const heartbeat = askers[0]?.heartbeat;
  if (heartbeat && (yield* ask(mayAsk(dialect, asking))))
    yield* requestHeartbeat(dialect, { ...heartbeat, now });
  const requests = mails.flatMap(({ acceptance, record }) => {
    const row = acceptance ? toAcceptedRow(acceptance) : record && toUnusedRow(record);
    return row ? [row] : [];
  });
  yield* ask(insertRequests(dialect, { requests, now }));
}

function* endSync(
  dialect: Dialect,
  { id, now }: MailCommit & { now: number },
  end: NonNullable<MailCommit["end"]>,
): Program<void> {
  yield {
    sql: `update mail_account set cursor = $2, cursor_at = $3, last_sync_at = $3, status = $4, last_error = $5
      where id = $1`,
    values: [id, encode(end.cursor), now, end.status, encodeOrNull(end.error)],
  };
  if (!end.notice) return;
  yield* insertEvent(end.notice.event, null, now);
  if (end.notice.heartbeat) yield* requestHeartbeat(dialect, { ...end.notice.heartbeat, now });
}

/** Stores an account's status. Its notice is stored only when the status changes. */
export function* noteMail(dialect: Dialect, input: MailNote & { now: number }): Program<boolean> {
  const { id, status, error, notice, now } = input;
  yield* addAccount(id);
  if (!(yield* mayNote(dialect, input))) return false;
  const changed = yield {
    sql: "update mail_account set status = $2 where id = $1 and status <> $2 returning id",
    values: [id, status],
  };
  yield {
    sql: "update mail_account set last_error = $2 where id = $1",
    values: [id, encodeOrNull(error)],
  };
  if (!notice || changed.length === 0) return true;
  yield* insertEvent(notice.event, null, now);
  if (notice.heartbeat) yield* requestHeartbeat(dialect, { ...notice.heartbeat, now });
  return true;
}

function* mayNote(
  { forUpdate }: Dialect,
  { id, lease }: { id: string; lease: string | null },
): Program<boolean> {
  if (lease === null) return true;
  const held = yield {
    sql: `select id from mail_account where id = $1 and lease = $2 ${forUpdate}`,
    values: [id, lease],
  };
  return held.length > 0;
}

/** `expiration` null: unchanged. */
export function* noteSubscription(
  dialect: Dialect,
  input: SubscriptionNote & { id: string; now: number },
): Program<boolean> {
  if (!(yield* mayNote(dialect, input))) return false;
  yield {
    sql: `update mail_account set watch_expiration = coalesce(cast($2 as bigint), watch_expiration), watch_due_at = $3
      where id = $1`,
    values: [input.id, input.expiration, input.now + input.dueInMs],
  };
  return true;
}

export function* listMailAccounts(_dialect: Dialect, _input: null): Program<MailAccount[]> {
  const rows = yield { sql: `select ${columns} from mail_account order by id`, values: [] };
  return rows.map((row) => toAccount(row, "show"));
}

/** Forgets an account, so that its next sync starts at the then newest mail. Messages that were taken in stay known. */
export function* forgetMailAccount(_dialect: Dialect, input: { id: string }): Program<boolean> {
  const removed = yield { sql: "delete from mail_account where id = $1 returning id", values: [input.id] };
  return removed.length > 0;
}

/** Longer than the age at which a message still counts as new (`oldestMailMs` in mail/gmail). */
const seenMs = 400 * 86_400_000;

export function* sweepMail(input: { limit: number; now: number }): Program<number> {
  const removed = yield {
    sql: `delete from mail_seen where (account, message_id) in (
      select account, message_id from mail_seen where at <= $1 and outcome <> 'waiting' order by at limit $2) returning message_id`,
    values: [input.now - seenMs, input.limit],
  };
  return removed.length;
}

/** At the start of the only gateway on a file: no other process can hold a lease. */
export function* voidMailLeases(): Program<void> {
  yield {
    sql: "update mail_account set lease = null, lease_until = null where lease is not null",
    values: [],
  };
}
