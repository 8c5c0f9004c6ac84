// Paused hooks. Their runs are parked as they start, not before: a pause costs the same, however many runs wait.
import type { Dialect } from "../driver/dialect.ts";
import type { Program, Query } from "../driver/program.ts";
import type { PausedHook } from "../ports/hooks.ts";
import { encode, idColumn } from "./rows.ts";

export const pausedError = "its hook is paused";
/** A parked run is looked at again after this time, in case that its hook was resumed by other means. */
export const pausedMs = 86_400_000;

export function* pauseHook(
  _dialect: Dialect,
  { hook, now }: { hook: string; now: number },
): Program<boolean> {
  const rows = yield {
    sql: "insert into paused_hook(hook, paused_at) values ($1, $2) on conflict (hook) do nothing returning hook",
    values: [hook, now],
  };
  return rows.length > 0;
}

/** The pause goes first: it waits for the runs that are being parked because of it, so that none is left behind. */
export function* resumeHook(
  _dialect: Dialect,
  { hook, now }: { hook: string; now: number },
): Program<number> {
  yield { sql: "delete from paused_hook where hook = $1", values: [hook] };
  const rows = yield {
    sql: `update run set status = 'queued', ready_at = cast($2 as bigint), error = null
      where status in ('running', 'parked') and status = 'parked' and hook = $1 and error = $3 returning id`,
    values: [hook, now, encode(pausedError)],
  };
  return rows.length;
}

export function* pausedHooks(_dialect: Dialect, _input: null): Program<PausedHook[]> {
  const rows = yield { sql: "select hook, paused_at from paused_hook order by hook", values: [] };
  return rows.map((row) => ({ hook: String(row["hook"]), pausedAt: Number(row["paused_at"]) }));
}

/** Those of these runs whose hook is paused. They stay paused until the transaction ends. */
export function pausedRuns(dialect: Dialect, ids: readonly string[]): Query<ReadonlySet<string>> {
  const statement = {
    sql: `select run.id from run, ${dialect.rows(idColumn, 0)}, paused_hook
      where run.id = item.id and run.kind = 'hook' and paused_hook.hook = run.hook
      ${dialect.concurrent ? "for share of paused_hook" : ""}`,
    values: [],
    rows: { columns: idColumn, items: ids.map((id) => [id]) },
  };
  return { statements: [statement], toResult: ([rows]) => new Set(rows!.map((row) => String(row["id"]))) };
}

/** On PostgreSQL, a condition: the hook in this column is not paused. */
export const isNotPaused = (column: string): string =>
  `not exists (select 1 from paused_hook where paused_hook.hook = ${column})`;

/** Whether one of these hooks may ask for a heartbeat. A paused one leaves its notes and asks for nothing. */
export function mayAsk(dialect: Dialect, hooks: readonly string[]): Query<boolean> {
  const wanted = new Set(hooks);
  if (wanted.size === 0) return { statements: [], toResult: () => false };
  const statement = {
    sql: `select hook from paused_hook where ${dialect.isOneOf("hook", "$1")}`,
    values: [JSON.stringify([...wanted])],
  };
  return { statements: [statement], toResult: ([rows]) => rows!.length < wanted.size };
}
