// Adds runs to the queue, and makes the next run of a lane its head.
import type { Dialect } from "../driver/dialect.ts";
import {
  ask,
  command,
  nothing,
  RestartTransaction,
  type Program,
  type Query,
  type Value,
} from "../driver/program.ts";
import { insertRequestsFrom, requestRowColumns, type RequestRows, withRequests } from "./requests.ts";
import { byBytes, claimedRowColumns, isIsolatedLane, runRowColumns } from "./rows.ts";

type RunRow = readonly Value[];

/** Each pass is one change of a lane's head by another transaction; so many point to a bug. */
export const mostPasses = 100;

// The column `head` of an unfinished run. Runs over 0 are the heads of their lanes and can be claimed. Nobody looks up
// the head of an isolated run's lane, so such a run stays out of the index of heads; it may be in it all the same.
const behindHead = 0;
const isHead = 1;
const isHeadOutsideIndex = 2;

const insertRunsSql = (dialect: Dialect, head: string | number): string => {
  const now = dialect.timeOf("$1");
  return `insert into run(${queuedColumns})
    ${dialect.stored(runRowColumns, 1, queuedValues("item", now, head))}`;
};

const queuedColumns =
  "id, kind, hook, agent_id, requested_agent_id, session_key, lane, head, status, created_at, ready_at, request, request_id";
const queuedValues = (item: string, now: string, head: string | number): string =>
  `${item}.id, ${item}.kind, ${item}.hook, ${item}.agent, ${item}.requested, ${item}.session, ${item}.lane, ${head},
      'queued', ${now}, ${now}, ${item}.request, ${item}.origin`;

/** An insert of isolated runs, as a part of a statement: `source` has their rows. */
export const insertIsolatedFrom = (source: string, condition: string, now: string): string =>
  `insert into run(${queuedColumns})
    select ${queuedValues(source, now, isHeadOutsideIndex)} from ${source} where ${condition}`;

/** The head of a new run: 1 when its lane has none. */
export const headOf = (dialect: Dialect, lane: string): string =>
  `case when exists(select 1 from run where lane = ${lane} and head = ${isHead} ${dialect.forShare}) then ${behindHead} else ${isHead} end`;

/** Isolated runs, which no other run can be in the way of. */
export const insertIsolated = (
  dialect: Dialect,
  { runs, now }: { runs: readonly RunRow[]; now: number | null },
): Query<void> =>
  runs.length === 0
    ? nothing
    : command({
        sql: insertRunsSql(dialect, isHeadOutsideIndex),
        values: [now],
        rows: { columns: runRowColumns, items: runs },
      });

const insertIntoLanesSql = (dialect: Dialect): string =>
  `${insertRunsSql(dialect, headOf(dialect, "item.lane"))}
    on conflict (lane) where head = ${isHead} do nothing ${dialect.concurrent ? "returning id" : ""}`;

/**
 * A run becomes its lane's head when the lane has none. When two runs both see an empty lane, the unique index lets one
 * of them in; the other is not stored, and sees the head when it is tried again. The share lock keeps a head from
 * settling between this read and the commit, which would strand the run for ever. Returns the runs that were not
 * stored. `runs` are rows of `toRunRow`.
 */
export function* insertRunsOnce(
  dialect: Dialect,
  { runs, now }: { runs: readonly RunRow[]; now: number | null },
): Program<readonly RunRow[]> {
  // The lane of an isolated run is always empty, so it need not be read.
  if (runs.every(isIsolated)) {
    yield* ask(insertIsolated(dialect, { runs, now }));
    return [];
  }
  // By lane, so that groups of two nodes never lock heads in opposite order.
  const items = dialect.concurrent ? byBytes(runs, (run) => String(run[laneAt])) : runs;
  const stored = yield {
    sql: insertIntoLanesSql(dialect),
    values: [now],
    rows: { columns: runRowColumns, items },
  };
  // A single writer inserts row by row and sees every head, so it stores all runs.
  if (!dialect.concurrent || stored.length === items.length) return [];
  const ids = new Set(stored.map((row) => row["id"]));
  return items.filter((run) => !ids.has(run[idAt]));
}

/** An isolated run, a row of `toClaimedRow`, stored as claimed. */
export const claimedColumns = `id, kind, hook, agent_id, requested_agent_id, session_key, lane, head, status, attempts, lease,
      created_at, ready_at, claimed_at, started_at, request, request_id`;
export const claimedValues = (item: string, now: string, leaseMs: string): string =>
  `${item}.id, ${item}.kind, ${item}.hook, ${item}.agent, ${item}.requested, ${item}.session, ${item}.lane, ${isHeadOutsideIndex}, 'running', 1,
      ${item}.lease, ${now}, ${now} + cast(${leaseMs} as bigint), ${now}, ${now}, ${item}.request, ${item}.origin`;

/** For a single writer. On PostgreSQL it is part of the statement that also starts the runs. */
export function* insertClaimed(
  dialect: Dialect,
  { runs, leaseMs, now }: { runs: readonly RunRow[]; leaseMs: number; now: number },
): Program<void> {
  yield {
    sql: `insert into run(${claimedColumns})
      ${dialect.stored(claimedRowColumns, 2, claimedValues("item", "$1", "$2"))}`,
    values: [now, leaseMs],
    rows: { columns: claimedRowColumns, items: runs },
  };
}

const withRequestColumns = [...runRowColumns, ...requestRowColumns] as const;

/** As `insertRunsOnce`, with the request of each run, in a single statement. Returns the ids of what was not stored. */
export function* insertRunsWithRequests(
  dialect: Dialect,
  { runs, requests, now }: { runs: readonly RunRow[]; requests: RequestRows; now: number | null },
): Program<string[]> {
  const areIsolated = runs.every(isIsolated);
  const items = withRequests(runs, requests);
  const rows = yield {
    sql: areIsolated ? isolatedWithRequestsSql(dialect) : lanesWithRequestsSql(dialect),
    values: [now],
    rows: {
      columns: withRequestColumns,
      items: areIsolated ? items : byBytes(items, (run) => String(run[laneAt])),
    },
  };
  if (areIsolated) return [];
  const stored = new Set(rows.map((row) => row["id"]));
  return runs.flatMap((run) => (stored.has(run[idAt] ?? null) ? [] : [String(run[idAt])]));
}

const incomingWithRequests = (dialect: Dialect): string =>
  `incoming as materialized (select item.* from ${dialect.rows(withRequestColumns, 1)})`;

const isolatedWithRequestsSql = (dialect: Dialect): string => {
  const now = dialect.timeOf("$1");
  return `with ${incomingWithRequests(dialect)},
      kept as (${insertRequestsFrom("incoming", "true", now)})
      ${insertIsolatedFrom("incoming", "true", now)}`;
};

const lanesWithRequestsSql = (dialect: Dialect): string => {
  const now = dialect.timeOf("$1");
  return `with ${incomingWithRequests(dialect)},
      stored as (
        insert into run(${queuedColumns})
        select ${queuedValues("incoming", now, headOf(dialect, "incoming.lane"))} from incoming
        on conflict (lane) where head = ${isHead} do nothing returning id),
      kept as (${insertRequestsFrom("incoming", "id in (select id from stored)", now)})
      select id from stored`;
};

const idAt = runRowColumns.indexOf("id");
const laneAt = runRowColumns.indexOf("lane");
export const isIsolated = (run: RunRow): boolean => isIsolatedLane(String(run[laneAt]));

/**
 * Repeats `insertRunsOnce` until all are stored. A group of several restarts its transaction instead: reading an early
 * lane again while it holds later ones would lock them out of order, and two groups could wait for each other. Of each
 * lane the first run goes first: a statement on PostgreSQL does not see its own rows, so of several runs of an empty
 * lane it would store one.
 */
export function* insertRuns(
  dialect: Dialect,
  { runs, now }: { runs: readonly RunRow[]; now: number },
): Program<void> {
  const firsts = dialect.concurrent ? firstOfLanes(runs) : new Set(runs);
  for (const part of [runs.filter((run) => firsts.has(run)), runs.filter((run) => !firsts.has(run))]) {
    let left: readonly RunRow[] = part;
    for (let pass = 0; left.length > 0; pass++) {
      if (pass === mostPasses) throw new Error("a lane's head never settled");
      left = yield* insertRunsOnce(dialect, { runs: left, now });
      if (left.length > 0 && runs.length > 1)
        throw new RestartTransaction("lanes changed their heads meanwhile");
    }
  }
}

const firstOfLanes = (runs: readonly RunRow[]): Set<RunRow> => {
  const lanes = new Map<Value | undefined, RunRow>();
  for (const run of runs) if (!lanes.has(run[laneAt])) lanes.set(run[laneAt], run);
  return new Set(lanes.values());
};

const laneColumn = ["lane"] as const;

/** The oldest waiting run of each lane becomes its head. Locked, so that it cannot be cancelled while it is promoted. */
export function promoteRuns(dialect: Dialect, lanes: readonly string[]): Query<void> {
  if (lanes.length === 0) return nothing;
  const next = (lane: string): string =>
    `(select seq from run where run.lane = ${lane} and head = ${behindHead} and status = 'queued' order by -seq desc limit 1 ${dialect.forUpdate})`;
  return command({
    sql: dialect.concurrent
      ? `with next as materialized (select ${next("item.lane")} as next_seq from ${dialect.rows(laneColumn, 0)})
          update run set head = ${isHead} from next where run.seq = next.next_seq`
      : `update run set head = ${isHead} where seq = ${next("$1")}`,
    values: [],
    rows: { columns: laneColumn, items: lanes.map((lane) => [lane]) },
  });
}
