// The life of a run: claim, renew, cancel, repeat; its end is in settle.ts.
//
// Only the head of a lane can be claimed. `ready_at` of a queued head is when it may start; of a running head, when
// its lease ends: so one indexed read finds due runs, due retries and expired leases alike. A run has a lease only while
// it is running, so whoever names the lease need not ask for the status.
import type { ClaimedRun, RunKind } from "../../core/run.ts";
import type { NewEvent } from "../../core/system-event.ts";
import { inOrder, type Dialect, type Program, type Row, type Statement } from "../driver.ts";
import type { CancelResult, Claim, HeartbeatRequest } from "../store.ts";
import { insertEvent, insertRuns, promoteRuns, requestHeartbeat } from "./enqueue.ts";
import { voidMailLeases } from "./mail.ts";
import { encode, idColumn, runColumns, toRunRow, toClaimedRun, toRun } from "./rows.ts";

/** What a crashed attempt has worked: up to its last sign of life, one lease before its lease ends. */
const workedByCrashed = (leaseMs: string): string =>
  `case when status = 'running' and ready_at - ${leaseMs} > claimed_at then ready_at - ${leaseMs} - claimed_at else 0 end`;

export type ClaimInput = { kind: RunKind; limit: number; lease: string; leaseMs: number; now: number | null };

export function* claimRuns(dialect: Dialect, input: ClaimInput): Program<Claim<ClaimedRun>> {
  const { kind, limit, lease, leaseMs, now: time } = input;
  const now = dialect.timeOf("$2");
  const claim: Statement = {
    sql: `with due as materialized (
        select seq as due_seq from run where head = 1 and kind = $1 and ready_at <= ${now}
        order by ready_at, seq limit $3 ${dialect.forUpdateSkipLocked})
      update run set elapsed_ms = elapsed_ms + ${workedByCrashed("cast($5 as bigint)")},
        status = 'running', lease = $4, attempts = attempts + 1, ready_at = ${now} + cast($5 as bigint), claimed_at = ${now},
        started_at = coalesce(started_at, ${now})
      from due where run.seq = due.due_seq returning ${runColumns}`,
    values: [kind, time, limit, lease, leaseMs],
  };
  const nextReady: Statement = {
    sql: `select ready_at - ${now} as in_ms from run where head = 1 and kind = $1 order by ready_at limit 1`,
    values: [kind, time],
  };
  const [rows, [next]] = (yield* inOrder([claim, nextReady])) as [Row[], Row[]];
  const claimed = rows.toSorted((a, b) => Number(a["seq"]) - Number(b["seq"])).map(toClaimedRun);
  // When every place was filled, nobody waits for the next one.
  return { claimed, nextInMs: next && claimed.length < limit ? Number(next["in_ms"]) : null };
}

export type RenewInput = { ids: readonly string[]; lease: string; leaseMs: number; now: number };

export function* renewRuns(
  dialect: Dialect,
  input: RenewInput,
): Program<{ held: string[]; cancelled: string[] }> {
  const rows = yield {
    sql: `update run set ready_at = cast($2 as bigint) from ${dialect.rows(idColumn, 2)}
      where run.id = item.id and lease = $1 returning run.id, cancel_requested`,
    values: [input.lease, input.now + input.leaseMs],
    rows: { columns: idColumn, items: input.ids.map((each) => [each]) },
  };
  return {
    held: rows.map((row) => String(row["id"])),
    cancelled: rows.filter((row) => Number(row["cancel_requested"]) === 1).map((row) => String(row["id"])),
  };
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
    sql: `select lane, head, status from run where id = $1 ${dialect.forUpdate}`,
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
  if (Number(found["head"]) === 1) yield* promoteRuns(dialect, [String(found["lane"])]);
  if (input.summary) yield* insertEvent(input.summary, input.id, input.now);
  if (input.heartbeat) yield* requestHeartbeat(dialect, { ...input.heartbeat, now: input.now });
  return "cancelled";
}

export type RepeatInput = { id: string; newId: string; now: number };

export function* repeatRun(
  dialect: Dialect,
  input: RepeatInput,
): Program<"queued" | "not-ended" | "unknown"> {
  const [row] = yield {
    sql: `select ${runColumns}, ended_at from run where id = $1 and kind = 'hook'`,
    values: [input.id],
  };
  if (!row) return "unknown";
  if (row["ended_at"] == null) return "not-ended";
  const run = toRun(row);
  const lane = run.lane === `run:${run.id}` ? `run:${input.newId}` : run.lane;
  yield* insertRuns(dialect, { runs: [toRunRow({ ...run, id: input.newId, lane })], now: input.now });
  return "queued";
}

/** At the start of the only gateway on this store, nobody else can hold a lease: all are void at once. */
export function* voidLeases(_dialect: Dialect, input: { now: number; leaseMs: number }): Program<void> {
  yield {
    sql: `update run set elapsed_ms = elapsed_ms + ${workedByCrashed("cast($2 as bigint)")}, status = 'queued', lease = null, ready_at = cast($1 as bigint)
      where head = 1 and kind in ('hook', 'heartbeat') and status = 'running'`,
    values: [input.now, input.leaseMs],
  };
  yield {
    sql: "update delivery set lease = null, ready_at = $1 where status = 'waiting' and lease is not null",
    values: [input.now],
  };
  yield* voidMailLeases();
}
