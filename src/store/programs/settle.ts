// What attempts of runs came to, and all that follows from it. Many at once, each as if it were alone: runs of one
// group are of different lanes, since only the head of a lane can be claimed. Rows that others lock too are taken in
// one order (runs by lane, then spending by hook, sessions, deliveries by target, the heartbeat), so that groups of
// two nodes never wait for each other. A heartbeat's own end is in no group with others, whose heartbeat comes last.
import type { NewDelivery } from "../../core/delivery.ts";
import { together, type Dialect, type Program, type Row, type Value } from "../driver/program.ts";
import type { Settlement } from "../../core/settlement.ts";
import { insertDelivery, laneOf } from "./deliveries.ts";
import { insertEvents, promoteRuns, requestHeartbeat } from "./enqueue.ts";
import { byBytes, encode, encodeOrNull, idColumn, isIsolatedLane, toEventRow } from "./rows.ts";
import { addSpending, isSpent } from "./spending.ts";
import { endTurns } from "./transcripts.ts";

export type Settled = { id: string; lease: string; settlement: Settlement };
export type SettleInput = { settlements: readonly Settled[]; now: number };

/** For each whether it was stored; it was not when the lease is lost. */
export function* settleRuns(dialect: Dialect, { settlements, now }: SettleInput): Program<boolean[]> {
  const [, givenBack, ended] = yield* together(dialect, [
    lockByLane(dialect, settlements),
    giveBack(dialect, settlements.filter(isGoingOn), now),
    end(dialect, settlements, now),
  ]);
  const rows = new Map([...givenBack, ...ended].map((row) => [String(row["id"]), row]));
  const stored = settlements.filter(({ id }) => rows.has(id));
  const more = settlements.map(({ settlement }) => settlement);
  // These may have to look again.
  const last = !more.some(({ delivery, heartbeat }) => delivery || heartbeat);
  const lanes = ended.map((row) => String(row["lane"])).filter((lane) => !isIsolatedLane(lane));
  yield* together(
    dialect,
    [promoteRuns(dialect, lanes), spend(dialect, stored, rows, now), ...followUps(dialect, stored, now)],
    { last },
  );
  return settlements.map(({ id }) => rows.has(id));
}

const isGoingOn = ({ settlement }: Settled): boolean => settlement.next.kind !== "ended";

function* lockByLane(dialect: Dialect, settlements: readonly Settled[]): Program<void> {
  if (!dialect.concurrent || settlements.length < 2) return;
  yield {
    sql: `select 1 as held from run, ${dialect.rows(idColumn, 0)} where run.id = item.id
      ${dialect.lockOrder("run.lane")} ${dialect.forUpdate}`,
    values: [],
    rows: { columns: idColumn, items: settlements.map(({ id }) => [id]) },
  };
}

const backColumns = ["id", "lease", "worked", "ready", "refund", "fault", "noticed", "told"] as const;

/** A retry, or a run given back unharmed. */
function* giveBack(dialect: Dialect, settlements: readonly Settled[], now: number): Program<Row[]> {
  const items = settlements.flatMap(({ id, lease, settlement }): Value[][] => {
    const { next, workedMs, signals, report } = settlement;
    if (next.kind === "ended") return [];
    const ready = next.kind === "retry" ? now + next.delayMs : now;
    const fault = next.kind === "retry" ? encode(next.error) : null;
    const refund = next.kind === "retry" ? 0 : 1;
    return [
      [id, lease, workedMs, ready, refund, fault, signals && encode(signals), report && encode(report)],
    ];
  });
  if (items.length === 0) return [];
  const { from, item } = dialect.given(backColumns, 0);
  return yield {
    sql: `update run set status = 'queued', lease = null, elapsed_ms = elapsed_ms + cast(${item.worked} as bigint),
        ready_at = cast(${item.ready} as bigint), attempts = attempts - cast(${item.refund} as integer),
        error = coalesce(${item.fault}, error), signals = coalesce(${item.noticed}, signals), report = coalesce(${item.told}, report)
      ${from} where run.id = ${item.id} and run.lease = ${item.lease} returning run.id, hook, kind`,
    values: [],
    rows: { columns: backColumns, items },
  };
}

export const endColumns = ["id", "lease", "outcome", "worked", "said", "fault", "noticed", "told"] as const;

export function toEndRow({ id, lease, settlement }: Settled): Value[] {
  const { next, workedMs, signals, report } = settlement;
  if (next.kind !== "ended") throw new Error("a run that goes on has no end");
  const told = [encodeOrNull(next.reply), encodeOrNull(next.error)];
  return [id, lease, next.status, workedMs, ...told, signals && encode(signals), report && encode(report)];
}

function* end(dialect: Dialect, settlements: readonly Settled[], now: number): Program<Row[]> {
  const items = settlements.filter((each) => !isGoingOn(each)).map(toEndRow);
  if (items.length === 0) return [];
  const { from, item } = dialect.given(endColumns, 1);
  return yield {
    sql: `update run set status = ${item.outcome}, head = 0, lease = null, elapsed_ms = elapsed_ms + cast(${item.worked} as bigint),
        ended_at = cast($1 as bigint), reply = ${item.said}, error = ${item.fault},
        signals = coalesce(${item.noticed}, signals), report = coalesce(${item.told}, report)
      ${from} where run.id = ${item.id} and run.lease = ${item.lease} returning run.id, lane, hook, kind`,
    values: [now],
    rows: { columns: endColumns, items },
  };
}

/** Only what these attempts used: a run's report has the sum over all. */
function* spend(
  dialect: Dialect,
  stored: readonly Settled[],
  rows: ReadonlyMap<string, Row>,
  now: number,
): Program<void> {
  const used = stored.flatMap(({ id, settlement }) => {
    const row = rows.get(id);
    const { used } = settlement;
    return used && isSpent(used) && row?.["kind"] === "hook" ? [{ hook: String(row["hook"]), ...used }] : [];
  });
  yield* addSpending(dialect, used, now);
}

function followUps(dialect: Dialect, stored: readonly Settled[], now: number): Program<unknown>[] {
  const endings = stored.flatMap(({ id, settlement: { ending } }) =>
    ending ? [{ runId: id, ...ending }] : [],
  );
  const summaries = stored.flatMap(({ id, settlement: { summary } }) =>
    summary ? [toEventRow(summary, id)] : [],
  );
  const deliveries = stored.flatMap(({ settlement: { delivery } }) => (delivery ? [delivery] : []));
  const heartbeat = stored.find(({ settlement }) => settlement.heartbeat)?.settlement.heartbeat;
  return [
    endTurns(dialect, endings, now),
    insertEvents(dialect, { events: summaries, now }),
    insertDeliveries(dialect, byBytes(deliveries, laneOf), now),
    markShown(
      dialect,
      stored.flatMap(({ settlement }) => settlement.shownEventIds),
      now,
    ),
    ...(heartbeat ? [requestHeartbeat(dialect, { ...heartbeat, now })] : []),
  ];
}

function* insertDeliveries(dialect: Dialect, deliveries: readonly NewDelivery[], now: number): Program<void> {
  for (const delivery of deliveries) yield* insertDelivery(dialect, delivery, now);
}

function* markShown(dialect: Dialect, ids: readonly string[], now: number): Program<void> {
  if (ids.length === 0) return;
  const { from, item } = dialect.given(idColumn, 1);
  yield {
    sql: `update event set shown_at = cast($1 as bigint) ${from}
      where event.id = ${item.id} and shown_at is null`,
    values: [now],
    rows: { columns: idColumn, items: ids.map((each) => [each]) },
  };
}
