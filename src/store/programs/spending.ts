// What hooks have used in a day, and which runs their budgets allow.
import { type Budget, dayOf, limitReached, type Spending } from "../../core/spending.ts";
import type { Dialect } from "../driver/dialect.ts";
import { command, nothing, type Program, type Query, type Row } from "../driver/program.ts";
import { byBytes } from "./rows.ts";

const columns = "hook, day, runs, input_tokens, output_tokens, cost";

const toSpending = (row: Row): Spending => ({
  hook: String(row["hook"]),
  day: String(row["day"]),
  runs: Number(row["runs"]),
  inputTokens: Number(row["input_tokens"]),
  outputTokens: Number(row["output_tokens"]),
  cost: Number(row["cost"]),
});

/** A run that is about to start; `isNew`: it has not been counted yet. */
export type BudgetedRun = { id: string; hook: string; budget: Budget; isNew: boolean };

const hookColumn = ["hook"] as const;
const countColumns = ["hook", "count"] as const;

/** What each of these hooks has used today. Locks their rows until the transaction ends. */
export function readSpending(
  dialect: Dialect,
  hooks: readonly string[],
  now: number,
): Query<Map<string, Spending>> {
  if (hooks.length === 0) return { statements: [], toResult: () => new Map() };
  const items = byBytes([...new Set(hooks)], (hook) => hook).map((hook) => [hook]);
  const statement = {
    sql: `insert into spending(hook, day) ${dialect.stored(hookColumn, 1, "item.hook, $1")}
      on conflict (hook, day) do update set runs = spending.runs returning ${columns}`,
    values: [dayOf(now)],
    rows: { columns: hookColumn, items },
  };
  return {
    statements: [statement],
    toResult: ([rows]) => new Map(rows!.map((row) => [String(row["hook"]), toSpending(row)])),
  };
}

/** Refused runs with the limit that they reach, and how many runs of each hook start. First come, first served. */
export function withinBudget(
  runs: readonly BudgetedRun[],
  spent: ReadonlyMap<string, Spending>,
): { refused: Map<string, string>; counts: Map<string, number> } {
  const refused = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const { id, hook, budget, isNew } of runs) {
    const known = spent.get(hook)!;
    const count = counts.get(hook) ?? 0;
    const reached = limitReached({ ...known, runs: known.runs + count }, budget, isNew);
    if (reached !== null) refused.set(id, reached);
    else if (isNew) counts.set(hook, count + 1);
  }
  return { refused, counts };
}

export function countStarted(
  dialect: Dialect,
  counts: ReadonlyMap<string, number>,
  now: number,
): Query<void> {
  if (counts.size === 0) return nothing;
  const { from, item } = dialect.given(countColumns, 1);
  return command({
    sql: `update spending set runs = runs + cast(${item.count} as integer) ${from}
      where spending.hook = ${item.hook} and day = $1`,
    values: [dayOf(now)],
    rows: { columns: countColumns, items: [...counts] },
  });
}

type Used = { hook: string; inputTokens: number; outputTokens: number; cost: number };

export const isSpent = ({ inputTokens, outputTokens, cost }: Omit<Used, "hook">): boolean =>
  inputTokens > 0 || outputTokens > 0 || cost > 0;

/** Larger numbers cannot be read exactly, and SQLite's driver refuses to read them at all. */
const mostTokens = Number.MAX_SAFE_INTEGER;

const cappedSum = (column: string): string =>
  `${column} = case when spending.${column} > ${mostTokens} - excluded.${column} then ${mostTokens}
          else spending.${column} + excluded.${column} end`;

const usedColumns = ["hook", "input", "output", "cost"] as const;

/** Adds what attempts used to the day on which they ended. */
export function addSpending(dialect: Dialect, used: readonly Used[], now: number): Query<void> {
  if (used.length === 0) return nothing;
  const sums = new Map<string, Used>();
  for (const { hook, inputTokens, outputTokens, cost } of used) {
    const sum = sums.get(hook) ?? { hook, inputTokens: 0, outputTokens: 0, cost: 0 };
    sums.set(hook, {
      hook,
      inputTokens: sum.inputTokens + inputTokens,
      outputTokens: sum.outputTokens + outputTokens,
      cost: sum.cost + cost,
    });
  }
  const items = byBytes([...sums.values()], ({ hook }) => hook);
  return command({
    sql: `insert into spending(hook, day, input_tokens, output_tokens, cost)
      ${dialect.stored(usedColumns, 1, "item.hook, $1, cast(item.input as bigint), cast(item.output as bigint), cast(item.cost as double precision)")}
      on conflict (hook, day) do update set ${cappedSum("input_tokens")}, ${cappedSum("output_tokens")},
        cost = spending.cost + excluded.cost`,
    values: [dayOf(now)],
    rows: {
      columns: usedColumns,
      items: items.map(({ hook, inputTokens, outputTokens, cost }) => [
        hook,
        inputTokens,
        outputTokens,
        cost,
      ]),
    },
  });
}

export function* listSpending(_dialect: Dialect, input: { now: number }): Program<Spending[]> {
  const rows = yield {
    sql: `select ${columns} from spending where day = $1 order by hook`,
    values: [dayOf(input.now)],
  };
  return rows.map(toSpending);
}
