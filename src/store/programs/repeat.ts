// Makes new runs of runs that have ended. The old run keeps its end, and says which run was made of it.
import { UsageError } from "../../core/errors.ts";
import type { FailedRun, FailedRuns } from "../../core/run.ts";
import type { Dialect } from "../driver/dialect.ts";
import type { Program } from "../driver/program.ts";
import { insertRuns } from "./enqueue.ts";
import { runColumns, toRun, toRunRow } from "./rows.ts";
import { readEach } from "./shapes.ts";

export type RepeatInput = { id: string; newId: string; now: number };

export function* repeatRun(
  dialect: Dialect,
  input: RepeatInput,
): Program<"queued" | "not-ended" | "unknown"> {
  const [row] = yield {
    sql: `select ${runColumns} from run where id = $1 and kind = 'hook'`,
    values: [input.id],
  };
  if (!row) return "unknown";
  if (row["ended_at"] == null) return "not-ended";
  const [run] = readEach([row], (each) => toRun(each)).items;
  if (!run)
    throw new UsageError(`The run ${input.id} cannot be repeated: what it was asked to do cannot be read.`);
  yield { sql: "update run set retried_as = $2 where id = $1", values: [input.id, input.newId] };
  yield* insertRuns(dialect, { runs: [toRunRow({ ...run, id: input.newId })], now: input.now });
  return "queued";
}

// The words of the index `run_failed`, so that both databases use it.
const isFailed = "kind = 'hook' and status in ('failed', 'timed-out') and retried_as is null";

/** Behind this one, in the order in which they ended. */
export type FailedRunsInput = FailedRuns & {
  limit: number;
  after: Pick<FailedRun, "endedAt" | "seq"> | null;
};

export function* listFailedRuns(_dialect: Dialect, input: FailedRunsInput): Program<FailedRun[]> {
  const { endedFrom, endedUntil, hook, agentId, limit, after } = input;
  const rows = yield {
    sql: `select id, hook, agent_id, ended_at, seq, acted from run
      where ${isFailed} and (ended_at, seq) > (cast($1 as bigint), cast($2 as bigint)) and ended_at <= cast($3 as bigint)
        and (cast($4 as text) is null or hook = $4) and (cast($5 as text) is null or agent_id = $5)
      order by ended_at, seq limit $6`,
    values: [after?.endedAt ?? endedFrom, after?.seq ?? -1, endedUntil, hook, agentId, limit],
  };
  return rows.map((row) => ({
    id: String(row["id"]),
    hook: String(row["hook"]),
    agentId: String(row["agent_id"]),
    endedAt: Number(row["ended_at"]),
    seq: Number(row["seq"]),
    acted: Number(row["acted"]) === 1,
  }));
}

/** A failed run, and the id of the new one. */
export type Repeat = { id: string; newId: string };
export type RepeatFailedInput = { repeats: readonly Repeat[]; now: number };
export type RepeatedFailed = { queued: Repeat[]; unreadable: { id: string; reason: string }[] };

const failedColumn = ["failed"] as const;
const repeatColumns = ["failed", "copy"] as const;

/** Leaves out what somebody has retried meanwhile. In each lane the new runs are queued in the order of `repeats`. */
export function* repeatFailedRuns(
  dialect: Dialect,
  { repeats, now }: RepeatFailedInput,
): Program<RepeatedFailed> {
  const rows = yield {
    sql: `select ${runColumns} from run, ${dialect.rows(failedColumn, 0)} where run.id = item.failed and ${isFailed}
      ${dialect.concurrent ? `order by seq ${dialect.forUpdate}` : ""}`,
    values: [],
    rows: { columns: failedColumn, items: repeats.map(({ id }) => [id]) },
  };
  const { items, unreadable } = readEach(rows, (row) => toRun(row));
  const runs = new Map(items.map((run) => [run.id, run]));
  const queued = repeats.filter(({ id }) => runs.has(id));
  if (queued.length > 0) {
    const { from, item } = dialect.given(repeatColumns, 0);
    yield {
      sql: `update run set retried_as = ${item.copy} ${from} where run.id = ${item.failed}`,
      values: [],
      rows: { columns: repeatColumns, items: queued.map(({ id, newId }) => [id, newId]) },
    };
    const copies = queued.map(({ id, newId }) => toRunRow({ ...runs.get(id)!, id: newId }));
    yield* insertRuns(dialect, { runs: copies, now });
  }
  return { queued, unreadable: unreadable.map(({ row, reason }) => ({ id: String(row["id"]), reason })) };
}
