// The life of a run: claim, renew, cancel, release. Its start is in start.ts, its end in settle.ts; repeat.ts makes new
// runs of those that have ended.
//
// Only the head of a lane can be claimed. `ready_at` of a queued head is when it may start; of a running head, when
// its lease ends: so one indexed read finds due runs, due retries and expired leases alike. A run has a lease only while
// it is running, so statements that compare the lease need not compare the status.
import type { ClaimedRun, RunKind, CancelResult } from "../../core/run.ts";
import type { NewEvent, HeartbeatRequest } from "../../core/system-event.ts";
import type { Dialect } from "../driver/dialect.ts";
import type { RunRequest } from "../../core/action.ts";
import { callbackDelivery } from "../../core/callback-delivery.ts";
import { newId } from "../../core/id.ts";
import { ask, type Program, type Row } from "../driver/program.ts";
import type { Claim } from "../../core/lease.ts";
import { promoteRuns } from "./enqueue.ts";
import { insertEvent } from "./events.ts";
import { requestHeartbeat } from "./heartbeats.ts";
import { leasesEnded } from "./leases.ts";
import { insertDelivery } from "./deliveries.ts";
import * as shapes from "./shapes.ts";
import { jsonIn, readEach } from "./shapes.ts";
import { voidMailLeases } from "./mail.ts";
import { attemptStarted } from "./transcripts.ts";
import { encode, idColumn, numberOrNull, runColumns, toClaimedRun } from "./rows.ts";

// An attempt whose node was lost counts, and costs time, once it has started. Before that its agent was never asked: the
// run is claimed again as if it had not been.
const neverStarted = `status = 'running' and not ${attemptStarted}`;

/** The working time of a crashed attempt: until its last renewal, which was one lease before its lease ends. */
const workedByCrashed = (leaseMs: string): string =>
  `case when status = 'running' and ready_at - ${leaseMs} > claimed_at and ${attemptStarted} then ready_at - ${leaseMs} - claimed_at else 0 end`;

export type ClaimInput = {
  kind: RunKind;
  limit: number;
  lease: string;
  leaseMs: number;
  now: number | null;
  /** See `leasesEnded`. */
  leasesBy?: number | null;
};

/** A claimed run that cannot be read, by its plain columns. */
export type UnreadableRun = Pick<ClaimedRun, "id" | "lease" | "kind" | "hook" | "agentId" | "sessionKey"> & {
  reason: string;
};

export function* claimRuns(
  dialect: Dialect,
  input: ClaimInput,
): Program<Claim<ClaimedRun> & { unreadable: UnreadableRun[] }> {
  const { rows, next } = yield* (dialect.concurrent ? claimAtOnce : claimOneByOne)(dialect, input);
  const inOrder = rows.toSorted((a, b) => Number(a["seq"]) - Number(b["seq"]));
  const { items: claimed, unreadable } = readEach(inOrder, toClaimedRun);
  return {
    claimed,
    // When every slot is filled, nobody waits for the next run.
    nextInMs: rows.length < input.limit ? numberOrNull(next?.["next_in_ms"]) : null,
    unreadable: unreadable.map(({ row, reason }) => ({
      id: String(row["id"]),
      lease: String(row["lease"]),
      kind: row["kind"] as RunKind,
      hook: String(row["hook"]),
      agentId: String(row["agent_id"]),
      sessionKey: String(row["session_key"]),
      reason,
    })),
  };
}

// Parameters of the three: now, the lease, its length, and on PostgreSQL `leasesBy`. The rest is written into the text, because SQLite plans a
// statement again each time if a partial index or a limit depends on a placeholder.
const dueRuns = (dialect: Dialect, { kind, limit }: ClaimInput): string =>
  `select seq as due_seq from run where head > 0 and kind = '${kind}' and ready_at <= ${dialect.timeOf("$1")}${dialect.concurrent ? leasesEnded("status = 'running'", "ready_at", "$4") : ""}
      order by ready_at, seq limit ${limit} ${dialect.forUpdateSkipLocked}`;

const nextDue = (dialect: Dialect, { kind }: ClaimInput): string =>
  `select ready_at - ${dialect.timeOf("$1")} as next_in_ms from run
      where head > 0 and kind = '${kind}' and ready_at > ${dialect.timeOf("$1")} order by ready_at, seq limit 1`;

const claimSql = (dialect: Dialect, which: string): string => {
  const now = dialect.timeOf("$1");
  return `update run set elapsed_ms = elapsed_ms + ${workedByCrashed("cast($3 as bigint)")},
        status = 'running', lease = $2, attempts = attempts + case when ${neverStarted} then 0 else 1 end, ready_at = ${now} + cast($3 as bigint), claimed_at = ${now},
        started_at = coalesce(started_at, ${now})
      ${which} returning ${runColumns}`;
};

type ClaimedRows = { rows: Row[]; next: Row | undefined };

/** One statement. Every row also says when the next run is due; there is one row when nothing was claimed. */
function* claimAtOnce(dialect: Dialect, input: ClaimInput): Program<ClaimedRows> {
  const { lease, leaseMs, now, leasesBy = null } = input;
  const rows = yield {
    sql: `with due as materialized (${dueRuns(dialect, input)}),
      claimed as (${claimSql(dialect, "from due where run.seq = due.due_seq")}),
      next as materialized (${nextDue(dialect, input)})
      select claimed.*, (select next_in_ms from next) from (select 1 as one) as always left join claimed on true`,
    values: [now, lease, leaseMs, leasesBy],
  };
  return { rows: rows.filter((row) => row["seq"] !== null), next: rows[0] };
}

const seqColumn = ["seq"] as const;

/** SQLite takes five times as long for an update with a join. */
function* claimOneByOne(dialect: Dialect, input: ClaimInput): Program<ClaimedRows> {
  const { limit, lease, leaseMs, now } = input;
  const due = yield { sql: dueRuns(dialect, input), values: [now] };
  const items = due.map((row) => [row["due_seq"]!]);
  const rows =
    items.length === 0
      ? []
      : yield {
          sql: claimSql(dialect, "where seq = $4"),
          values: [now, lease, leaseMs],
          rows: { columns: seqColumn, items },
        };
  const [next] = rows.length === limit ? [] : yield { sql: nextDue(dialect, input), values: [now] };
  return { rows, next };
}

export type RenewInput = { ids: readonly string[]; lease: string; leaseMs: number; now: number | null };

export function* renewRuns(
  dialect: Dialect,
  input: RenewInput,
): Program<{ held: string[]; cancelled: string[] }> {
  const { from, item } = dialect.given(idColumn, 3);
  const rows = yield {
    sql: `update run set ready_at = ${dialect.timeOf("$2")} + cast($3 as bigint) ${from}
      where run.id = ${item.id} and lease = $1 returning run.id, cancel_requested`,
    values: [input.lease, input.now, input.leaseMs],
    rows: { columns: idColumn, items: input.ids.map((each) => [each]) },
  };
  return {
    held: rows.map((row) => String(row["id"])),
    cancelled: rows.filter((row) => Number(row["cancel_requested"]) === 1).map((row) => String(row["id"])),
  };
}

/** Before a tool that changes something is called: the run will not be retried. False: the lease is lost. */
export function* markActed(_dialect: Dialect, input: { id: string; lease: string }): Program<boolean> {
  const rows = yield {
    sql: "update run set acted = 1 where id = $1 and lease = $2 returning id",
    values: [input.id, input.lease],
  };
  return rows.length > 0;
}

/** What an earlier lease noted, or a run that is not running, is not shown: see `shownRunColumns`. */
export function* noteLastLine(
  _dialect: Dialect,
  input: { id: string; lease: string; line: string },
): Program<boolean> {
  const rows = yield {
    sql: "update run set last_line = $3, last_line_lease = $2 where id = $1 and lease = $2 returning id",
    values: [input.id, input.lease, encode(input.line)],
  };
  return rows.length > 0;
}

export type CancelInput = {
  id: string;
  error: string;
  summary: NewEvent | null;
  heartbeat: HeartbeatRequest | null;
  now: number;
};

export function* cancelRun(dialect: Dialect, input: CancelInput): Program<CancelResult> {
  const [found] = yield {
    sql: `select id, lane, head, status, request from run where id = $1 ${dialect.forUpdate}`,
    values: [input.id],
  };
  if (!found) return "unknown";
  if (found["status"] === "running") {
    yield { sql: "update run set cancel_requested = 1 where id = $1", values: [input.id] };
    return "requested";
  }
  if (found["status"] !== "queued" && found["status"] !== "parked") return "ended";
  yield {
    sql: "update run set status = 'cancelled', head = 0, ended_at = cast($2 as bigint), error = $3 where id = $1",
    values: [input.id, input.now, encode(input.error)],
  };
  if (Number(found["head"]) > 0) yield* ask(promoteRuns(dialect, [String(found["lane"])]));
  if (input.summary) yield* insertEvent(input.summary, input.id, input.now);
  const request = jsonIn(found, "request", shapes.request, "show") as RunRequest;
  const callback = callbackDelivery(
    { id: input.id, request: { ...request, callback: request.callback ?? null } },
    newId,
    "the run has no reply",
  );
  if (callback) yield* insertDelivery(dialect, callback, input.now);
  if (input.heartbeat) yield* requestHeartbeat(dialect, { ...input.heartbeat, now: input.now });
  return "cancelled";
}

/** Queues parked runs, whatever the budget says: one, those of a hook, or all. */
export function* releaseRuns(
  _dialect: Dialect,
  input: { id: string | null; hook: string | null; now: number },
): Program<number> {
  const rows = yield {
    sql: `update run set status = 'queued', released = 1, ready_at = cast($3 as bigint), error = null
      where status = 'parked' and (cast($1 as text) is null or id = $1) and (cast($2 as text) is null or hook = $2)
      returning id`,
    values: [input.id, input.hook, input.now],
  };
  return rows.length;
}

/** At the start of the only gateway on this store: no other process can hold a lease, so all of them are void. */
export function* voidLeases(_dialect: Dialect, input: { now: number; leaseMs: number }): Program<void> {
  yield {
    sql: `update run set elapsed_ms = elapsed_ms + ${workedByCrashed("cast($2 as bigint)")}, status = 'queued', lease = null, ready_at = cast($1 as bigint),
        attempts = attempts - case when ${neverStarted} then 1 else 0 end
      where head > 0 and kind in ('hook', 'heartbeat') and status = 'running'`,
    values: [input.now, input.leaseMs],
  };
  yield {
    sql: "update delivery set lease = null, ready_at = $1 where status = 'waiting' and lease is not null",
    values: [input.now],
  };
  yield* voidMailLeases();
}
