// Settles attempts of runs, with all that follows. Many at once, each as if it were the only one: runs of one
// group are of different lanes, since only the head of a lane can be claimed. Rows that other transactions lock too are
// taken in one order (runs by lane, then spending by hook, sessions, deliveries by target, the heartbeat), so that
// groups of two nodes never deadlock. A heartbeat is never settled in a group with others, because their transactions
// lock the heartbeat last.
import type { NewDelivery } from "../../core/delivery.ts";
import type { Settlement } from "../../core/settlement.ts";
import type { Dialect } from "../driver/dialect.ts";
import {
  ask,
  command,
  finalBatch,
  interleave,
  nothing,
  queries,
  type Program,
  type Query,
  type Row,
  type Statement,
  type Transaction,
  type Value,
} from "../driver/program.ts";
import { insertAttempts, toAttemptRow } from "./attempts.ts";
import { insertDelivery, laneOf } from "./deliveries.ts";
import { promoteRuns } from "./enqueue.ts";
import { insertEvents } from "./events.ts";
import { requestHeartbeat } from "./heartbeats.ts";
import { byBytes, encode, encodeOrNull, idColumn, isIsolatedLane, toEventRow } from "./rows.ts";
import { addSpending, isSpent } from "./spending.ts";
import { endTurns } from "./transcripts.ts";

export type Settled = { id: string; lease: string; settlement: Settlement };
export type SettleInput = { settlements: readonly Settled[]; now: number };

/** Returns for each whether it was stored. It was not if the lease is lost. */
export function* settleRuns(dialect: Dialect, { settlements, now }: SettleInput): Transaction<boolean[]> {
  const [, requeued, ended] = yield* ask(
    queries([
      lockByLane(dialect, settlements),
      requeue(dialect, settlements.filter(isUnfinished), now),
      end(dialect, settlements, now),
    ] as const),
  );
  const rows = new Map([...requeued, ...ended].map((row) => [String(row["id"]), row]));
  const stored = settlements.filter(({ id }) => rows.has(id));
  const results = settlements.map(({ id }) => rows.has(id));
  const lanes = ended.map((row) => String(row["lane"])).filter((lane) => !isIsolatedLane(lane));
  const changes = queries([
    promoteRuns(dialect, lanes),
    spend(dialect, stored, rows, now),
    records(dialect, stored, now),
  ]);
  const { deliveries, heartbeat } = followUps(stored);
  if (deliveries.length === 0 && !heartbeat) return finalBatch(changes.statements, () => results);
  yield* interleave(dialect, [
    ask(changes),
    insertDeliveries(dialect, byBytes(deliveries, laneOf), now),
    ...(heartbeat ? [requestHeartbeat(dialect, { ...heartbeat, now })] : []),
  ]);
  return results;
}

const noRows: Query<Row[]> = { statements: [], toResult: () => [] };
const rowsOf = (statement: Statement): Query<Row[]> => ({
  statements: [statement],
  toResult: ([rows]) => rows!,
});

const isUnfinished = ({ settlement }: Settled): boolean => settlement.next.kind !== "ended";

function lockByLane(dialect: Dialect, settlements: readonly Settled[]): Query<void> {
  if (!dialect.concurrent || settlements.length < 2) return nothing;
  return command({
    sql: `select 1 as held from run, ${dialect.rows(idColumn, 0)} where run.id = item.id
      ${dialect.lockOrder("run.lane")} ${dialect.forUpdate}`,
    values: [],
    rows: { columns: idColumn, items: settlements.map(({ id }) => [id]) },
  });
}

const requeueColumns = [
  "id",
  "lease",
  "worked",
  "waited",
  "ready",
  "refund",
  "fault",
  "signals",
  "report",
] as const;

/** Queues a run again: a retry, or a release that does not count. */
function requeue(dialect: Dialect, settlements: readonly Settled[], now: number): Query<Row[]> {
  const items = settlements.flatMap(({ id, lease, settlement }): Value[][] => {
    const { next, workedMs, signals, report } = settlement;
    if (next.kind === "ended") return [];
    const waited = next.kind === "retry" ? next.delayMs : 0;
    const fault = next.kind === "retry" ? encode(next.error) : null;
    const refund = next.kind === "retry" ? 0 : 1;
    const texts = [fault, signals && encode(signals), report && encode(report)];
    return [[id, lease, workedMs, waited, now + waited, refund, ...texts]];
  });
  if (items.length === 0) return noRows;
  const { from, item } = dialect.given(requeueColumns, 0);
  return rowsOf({
    sql: `update run set status = 'queued', lease = null, elapsed_ms = elapsed_ms + cast(${item.worked} as bigint),
        waited_ms = waited_ms + cast(${item.waited} as bigint), ready_at = cast(${item.ready} as bigint), attempts = attempts - cast(${item.refund} as integer),
        error = coalesce(${item.fault}, error), signals = coalesce(${item.signals}, run.signals), report = coalesce(${item.report}, run.report)
      ${from} where run.id = ${item.id} and run.lease = ${item.lease} returning run.id, hook, kind`,
    values: [],
    rows: { columns: requeueColumns, items },
  });
}

const endColumns = ["id", "lease", "outcome", "worked", "reply", "fault", "signals", "report"] as const;

function toEndRow({ id, lease, settlement }: Settled): Value[] {
  const { next, workedMs, signals, report } = settlement;
  if (next.kind !== "ended") throw new Error("a run that has not ended has no end");
  const texts = [encodeOrNull(next.reply), encodeOrNull(next.error)];
  return [id, lease, next.status, workedMs, ...texts, signals && encode(signals), report && encode(report)];
}

function end(dialect: Dialect, settlements: readonly Settled[], now: number): Query<Row[]> {
  const items = settlements.filter((each) => !isUnfinished(each)).map(toEndRow);
  if (items.length === 0) return noRows;
  const { from, item } = dialect.given(endColumns, 1);
  return rowsOf({
    sql: `update run set status = ${item.outcome}, head = 0, lease = null, elapsed_ms = elapsed_ms + cast(${item.worked} as bigint),
        ended_at = cast($1 as bigint), reply = ${item.reply}, error = ${item.fault},
        signals = coalesce(${item.signals}, run.signals), report = coalesce(${item.report}, run.report)
      ${from} where run.id = ${item.id} and run.lease = ${item.lease} returning run.id, lane, hook, kind`,
    values: [now],
    rows: { columns: endColumns, items },
  });
}

/** Only what these attempts used: a run's report has the sum over all of its attempts. */
function spend(
  dialect: Dialect,
  stored: readonly Settled[],
  rows: ReadonlyMap<string, Row>,
  now: number,
): Query<void> {
  const used = stored.flatMap(({ id, settlement }) => {
    const row = rows.get(id);
    const { used } = settlement;
    return used && isSpent(used) && row?.["kind"] === "hook"
      ? [{ hook: used.budget ?? String(row["hook"]), ...used }]
      : [];
  });
  return addSpending(dialect, used, now);
}

/** Turns, attempts, summaries and shown events: statements that never have to be repeated. */
function records(dialect: Dialect, stored: readonly Settled[], now: number): Query<unknown> {
  const endings = stored.flatMap(({ id, settlement: { ending } }) =>
    ending ? [{ runId: id, ...ending }] : [],
  );
  const summaries = stored.flatMap(({ id, settlement: { summary } }) =>
    summary ? [toEventRow(summary, id)] : [],
  );
  const attempts = stored.flatMap(({ id, settlement: { attempt, next } }) =>
    attempt ? [toAttemptRow(id, attempt, next.kind === "retry" ? now + next.delayMs : null)] : [],
  );
  const shown = stored.flatMap(({ settlement }) => settlement.shownEventIds);
  return queries([
    endTurns(dialect, endings, now),
    insertAttempts(dialect, attempts, now),
    insertEvents(dialect, { events: summaries, now }),
    markShown(dialect, shown, now),
  ]);
}

/** Programs, because another transaction may change their lanes meanwhile. */
const followUps = (stored: readonly Settled[]) => ({
  deliveries: stored.flatMap(({ settlement: { delivery, callback } }) =>
    [delivery, callback].filter((each) => each !== null),
  ),
  heartbeat: stored.find(({ settlement }) => settlement.heartbeat)?.settlement.heartbeat ?? null,
});

function* insertDeliveries(dialect: Dialect, deliveries: readonly NewDelivery[], now: number): Program<void> {
  for (const delivery of deliveries) yield* insertDelivery(dialect, delivery, now);
}

function markShown(dialect: Dialect, ids: readonly string[], now: number): Query<void> {
  if (ids.length === 0) return nothing;
  const { from, item } = dialect.given(idColumn, 1);
  return command({
    sql: `update event set shown_at = cast($1 as bigint) ${from}
      where event.id = ${item.id} and shown_at is null`,
    values: [now],
    rows: { columns: idColumn, items: ids.map((each) => [each]) },
  });
}
