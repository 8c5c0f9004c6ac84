// What is kept of the attempts of runs.
import type { AttemptEnd, AttemptRecord, NewAttemptRecord, ToolCall } from "../../core/attempt-record.ts";
import type { Dialect } from "../driver/dialect.ts";
import { command, nothing, type Program, type Query, type Row, type Value } from "../driver/program.ts";
import { encode, encodeOrNull, numberOrNull } from "./rows.ts";
import { jsonIn } from "./shapes.ts";
import * as shapes from "./shapes.ts";

const columns = ["run", "number", "node", "worked", "outcome", "reason", "next", "calls"] as const;

export const toAttemptRow = (runId: string, attempt: NewAttemptRecord, nextTryAt: number | null): Value[] => [
  runId,
  attempt.number,
  attempt.node,
  attempt.workedMs,
  attempt.outcome,
  encodeOrNull(attempt.reason),
  nextTryAt,
  attempt.toolCalls.length === 0 ? null : encode(attempt.toolCalls),
];

/** `attempts` are rows of `toAttemptRow`. A released attempt gives its number back: the next one takes its place. */
export function insertAttempts(
  dialect: Dialect,
  attempts: readonly (readonly Value[])[],
  now: number,
): Query<void> {
  if (attempts.length === 0) return nothing;
  const values = `item.run, cast(item.number as integer), item.node, cast($1 as bigint) - cast(item.worked as bigint),
        cast($1 as bigint), item.outcome, item.reason, cast(item.next as bigint), item.calls`;
  return command({
    sql: `insert into attempt(run_id, number, node, started_at, ended_at, outcome, reason, next_try_at, tool_calls)
      ${dialect.stored(columns, 1, values)}
      on conflict (run_id, number) do update set node = excluded.node, started_at = excluded.started_at, ended_at = excluded.ended_at,
        outcome = excluded.outcome, reason = excluded.reason, next_try_at = excluded.next_try_at, tool_calls = excluded.tool_calls`,
    values: [now],
    rows: { columns, items: attempts },
  });
}

const shownColumns = "run_id, number, node, started_at, ended_at, outcome, reason, next_try_at, tool_calls";

/** Of several runs, each oldest first. */
export function* attemptsOf(
  dialect: Dialect,
  { runIds }: { runIds: readonly string[] },
): Program<AttemptRecord[]> {
  if (runIds.length === 0) return [];
  const rows = yield {
    sql: `select ${shownColumns} from attempt, ${dialect.rows(wantedColumn, 0)} where run_id = item.wanted order by run_id, number`,
    values: [],
    rows: { columns: wantedColumn, items: runIds.map((id) => [id]) },
  };
  return rows.map(toAttempt);
}

const wantedColumn = ["wanted"] as const;

export function* listAttempts(_dialect: Dialect, { runId }: { runId: string }): Program<AttemptRecord[]> {
  const rows = yield {
    sql: `select ${shownColumns} from attempt where run_id = $1 order by number`,
    values: [runId],
  };
  return rows.map(toAttempt);
}

const toAttempt = (row: Row): AttemptRecord => ({
  runId: String(row["run_id"]),
  number: Number(row["number"]),
  node: String(row["node"]),
  startedAt: Number(row["started_at"]),
  endedAt: Number(row["ended_at"]),
  outcome: row["outcome"] as AttemptEnd,
  reason: jsonIn(row, "reason", shapes.text, "show") as string | null,
  nextTryAt: numberOrNull(row["next_try_at"]),
  toolCalls: (jsonIn(row, "tool_calls", shapes.toolCalls, "show") ?? []) as ToolCall[],
});
