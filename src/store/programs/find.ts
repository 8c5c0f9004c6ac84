// Rows by their ids, or the beginning of one, and what belongs to a request or a run.
import type { Delivery } from "../../core/delivery.ts";
import { largest } from "../../core/largest.ts";
import { type RequestOutcome, type RequestRecord, requestOutcomes } from "../../core/request.ts";
import type { Run } from "../../core/run.ts";
import type { SystemEvent } from "../../core/system-event.ts";
import type { Session } from "../../core/transcript.ts";
import type { RunState } from "../../core/result.ts";
import type { Dialect } from "../driver/dialect.ts";
import { batch, type Program, type Row } from "../driver/program.ts";
import type { Found, OutcomeCounts, ResolvedId, SessionPosition, SessionSearch } from "../ports/search.ts";
import { eventColumns, shownEvent, shownRun } from "./lists.ts";
import { deliveryColumns } from "./deliveries.ts";
import { encode, requestColumns, runColumns, shownRunColumns, toDelivery, toRequest } from "./rows.ts";
import { mostScanned, statement, type Table } from "./search.ts";
import { idRange } from "./searches.ts";

const mostCandidates = 5;

/** `prefix` has a form that an id can begin with, or is null. */
export function* resolveId(
  _dialect: Dialect,
  { table, written, prefix }: { table: Table; written: string; prefix: string | null },
): Program<ResolvedId> {
  const [exact] = yield { sql: `select id from ${table} where id = $1`, values: [written] };
  if (exact) return { kind: "one", id: written };
  if (prefix === null) return { kind: "none" };
  const rows = yield statement(
    (bind) =>
      `select id, created_at from ${table} where ${idRange(prefix)(bind)} order by id limit ${bind(mostCandidates + 1)}`,
  );
  const found = rows.map((row) => ({ id: String(row["id"]), createdAt: Number(row["created_at"]) }));
  const [first, second] = found;
  if (!first) return { kind: "none" };
  if (!second) return { kind: "one", id: first.id };
  return {
    kind: "several",
    candidates: found.slice(0, mostCandidates),
    more: found.length > mostCandidates,
  };
}

export function* newestId(_dialect: Dialect, { table }: { table: Table }): Program<string | null> {
  const [row] = yield { sql: `select id from ${table} order by seq desc limit 1`, values: [] };
  return row ? String(row["id"]) : null;
}

const wantedColumn = ["wanted"] as const;

function* findAll<T extends { id: string }>(
  dialect: Dialect,
  { table, columns, ids }: { table: Table; columns: string; ids: readonly string[] },
  toItem: (row: Row) => T,
): Program<T[]> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return [];
  const rows = yield {
    sql: `select ${columns} from ${table}, ${dialect.rows(wantedColumn, 0)} where ${table}.id = item.wanted`,
    values: [],
    rows: { columns: wantedColumn, items: wanted.map((id) => [id]) },
  };
  const byId = new Map(rows.map(toItem).map((item) => [item.id, item]));
  return wanted.flatMap((id) => byId.get(id) ?? []);
}

type ByIds = { ids: readonly string[] };

export const findRuns = (dialect: Dialect, { ids }: ByIds): Program<Run[]> =>
  findAll(dialect, { table: "run", columns: shownRunColumns, ids }, shownRun);

/** Read faster than the runs themselves. */
export const runStates = (dialect: Dialect, { ids }: ByIds): Program<RunState[]> =>
  findAll(dialect, { table: "run", columns: "id, status, attempts", ids }, (row) => ({
    id: String(row["id"]),
    status: row["status"] as RunState["status"],
    attempts: Number(row["attempts"]),
  }));

export const findEvents = (dialect: Dialect, { ids }: ByIds): Program<SystemEvent[]> =>
  findAll(dialect, { table: "event", columns: eventColumns, ids }, shownEvent);

/** Of several runs, each oldest first, without their texts, which may be long. */
export function* deliveriesOf(
  dialect: Dialect,
  { runIds }: { runIds: readonly string[] },
): Program<Delivery[]> {
  if (runIds.length === 0) return [];
  const columns = deliveryColumns.replace("text,", "'\"\"' as text,");
  const rows = yield {
    sql: `select ${columns} from delivery, ${dialect.rows(wantedColumn, 0)} where run_id = item.wanted order by seq`,
    values: [],
    rows: { columns: wantedColumn, items: runIds.map((id) => [id]) },
  };
  return rows.map((row) => toDelivery(row, "show"));
}

const mostReplays = 100;

export function* listReplays(_dialect: Dialect, { id }: { id: string }): Program<RequestRecord[]> {
  const rows = yield {
    sql: `select ${requestColumns} from request where replay_of = $1 order by seq + 0 limit $2`,
    values: [id, mostReplays],
  };
  return rows.map(toRequest);
}

/** Every lane but that of an isolated run has one head, which has its own index. */
export function* runBehind(_dialect: Dialect, { id }: { id: string }): Program<Run | null> {
  const [row] = yield {
    sql: `select ${runColumns} from run where head = 1 and id <> $1
      and lane = (select waiting.lane from run as waiting where waiting.id = $1 and waiting.ended_at is null)`,
    values: [id],
  };
  return row ? shownRun(row) : null;
}

const mostSame = 100;

export function* sameReason(
  _dialect: Dialect,
  input: { hook: string; outcome: RequestOutcome; reason: string | null; besides: string | null },
): Program<{ count: number; more: boolean }> {
  const { hook, outcome, reason, besides } = input;
  const [row] = yield {
    sql: `select count(*) as count from (
        select id, hook, reason from request where outcome <> 'accepted' and outcome = $1
        order by seq + 0 desc limit $2) as recent
      where hook = $3 and reason = $4 and id <> $5`,
    values: [outcome, mostScanned, hook, encode(reason ?? ""), besides ?? ""],
  };
  const count = Number(row?.["count"]);
  return { count: Math.min(count, mostSame), more: count > mostSame };
}

const partMs = 30_000;
const parts = 120;
/** Entries of an index, of which SQLite counts some ten thousand in a millisecond. */
const mostCounted = 50_000;
/** Those that were not accepted are sorted by outcome, which takes ten times as long. */
const mostOthers = 10_000;

/** Reads an index alone, and of it no more than so many of the newest entries. */
export function* outcomesPerHalfMinute(
  _dialect: Dialect,
  { now }: { now: number },
): Program<{ parts: OutcomeCounts[]; completeSince: number }> {
  // This very millisecond is in the last part.
  const begin = now + 1 - parts * partMs;
  const bounds = yield* batch([
    nthNewest("created_at >= $1", begin, now, mostCounted),
    nthNewest("created_at >= $1 and outcome <> 'accepted'", begin, now, mostOthers),
  ]);
  const completeSince = largest(
    bounds.flat().map((row) => Number(row["created_at"]) + 1),
    begin,
  );
  const [totals, others] = yield* batch([
    {
      sql: `with recursive parts(part) as (select 0 union all select part + 1 from parts where part < ${parts - 1})
        select part, (select count(*) from request
            where created_at >= cast($1 as bigint) + part * ${partMs} and created_at < cast($1 as bigint) + (part + 1) * ${partMs}
              and created_at >= $2 and created_at <= $3) as count
        from parts where cast($1 as bigint) + (part + 1) * ${partMs} > cast($2 as bigint)`,
      values: [begin, completeSince, now],
    },
    {
      sql: `select (created_at - cast($1 as bigint)) / ${partMs} as part, outcome, count(*) as count from request
        where created_at >= $2 and created_at <= $3 and outcome <> 'accepted' group by part, outcome`,
      values: [begin, completeSince, now],
    },
  ]);
  return { parts: countsOf(totals!, others!, begin), completeSince };
}

const nthNewest = (where: string, begin: number, now: number, at: number) => ({
  sql: `select created_at from request where ${where} and created_at <= $2 order by created_at desc limit 1 offset $3`,
  values: [begin, now, at],
});

function countsOf(totals: readonly Row[], others: readonly Row[], begin: number): OutcomeCounts[] {
  const all: OutcomeCounts[] = Array.from({ length: parts }, (_, part) => ({
    from: begin + part * partMs,
    counts: {},
  }));
  const add = (part: Row, outcome: RequestOutcome, count: number): void => {
    const { counts } = all[Number(part["part"])]!;
    const sum = (counts[outcome] ?? 0) + count;
    if (sum === 0) delete counts[outcome];
    else counts[outcome] = sum;
  };
  for (const row of totals) add(row, "accepted", Number(row["count"]));
  for (const row of others) {
    const outcome = requestOutcomes.find((each) => each === row["outcome"]);
    if (outcome) add(row, outcome, Number(row["count"]));
    add(row, "accepted", -Number(row["count"]));
  }
  return all;
}

/**
 * Sessions are rows without texts, so that many can be read for the few of one agent. Those that were used at the same
 * time are put in order here; the last of such a group may not have been read.
 */
export function* searchSessions(
  _dialect: Dialect,
  { limit, before, since, until, agents }: SessionSearch,
): Program<Found<Session, SessionPosition>> {
  const isFiltered = agents !== undefined && agents.length > 0;
  const most = isFiltered ? Math.max(mostScanned, limit + mostTogether) : limit + mostTogether;
  const rows = yield statement(
    (bind) =>
      `select agent_id, session_key, foreign_session, last_at from session
        where last_at >= ${bind(since ?? 0)} and last_at <= ${bind(Math.min(before?.lastAt ?? latest, (until ?? latest) - 1))}
        order by last_at desc limit ${bind(most)}`,
  );
  const used = rows.map((row) => ({ ...positionOf(row), row }));
  const behind = (rows.length < most ? used : withoutLastGroup(used))
    .toSorted((a, b) => comparePositions(b, a))
    .filter((each) => before === null || comparePositions(each, before) < 0);
  const wanted = isFiltered ? behind.filter(({ agentId }) => agents.includes(agentId)) : behind;
  const page = wanted.slice(0, limit);
  const last = wanted.length > limit ? page.at(-1) : rows.length === most ? behind.at(-1) : undefined;
  return { items: yield* withTurns(page.map(({ row }) => row)), next: last ? positionOf(last.row) : null };
}

/** More sessions than this are not used at the same time: it is more than a group commit has. */
const mostTogether = 600;
const latest = Number.MAX_SAFE_INTEGER;

/** All of one time, unless there is no other. */
function withoutLastGroup<T extends SessionPosition>(used: readonly T[]): readonly T[] {
  const { lastAt } = used.at(-1)!;
  const others = used.filter((each) => each.lastAt !== lastAt);
  return others.length > 0 ? others : used;
}

const compare = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0);
const comparePositions = (a: SessionPosition, b: SessionPosition): number =>
  compare(a.lastAt, b.lastAt) || compare(a.agentId, b.agentId) || compare(a.sessionKey, b.sessionKey);

const positionOf = (row: Row): SessionPosition => ({
  lastAt: Number(row["last_at"]),
  agentId: String(row["agent_id"]),
  sessionKey: String(row["session_key"]),
});

function* withTurns(sessions: readonly Row[]): Program<Session[]> {
  const counts = yield* batch(
    sessions.map((row) => ({
      sql: "select count(*) as turns from turn where agent_id = $1 and session_key = $2",
      values: [row["agent_id"]!, row["session_key"]!],
    })),
  );
  return sessions.map((row, at) => ({
    ...positionOf(row),
    turns: Number(counts[at]![0]?.["turns"]),
    foreignSession: row["foreign_session"] == null ? null : String(row["foreign_session"]),
  }));
}
