// Starts and usual ends of isolated runs, each as a single statement: on PostgreSQL every statement of a transaction is a
// round trip, and the general programs take about fifteen for one run. No other run can be in the lane of an isolated
// run, so nothing has to be read again after a lock. For a run that these statements do not store (its lease is lost, a
// budget is reached, another transaction requested a heartbeat) they return null, and the general program takes over.
import type { Budget } from "../../core/spending.ts";
import { noHistory } from "../../core/transcript.ts";
import type { Dialect } from "../driver/dialect.ts";
import { inside, type Program, type Transaction, type Value } from "../driver/program.ts";
import type { AttemptStarted, AttemptStart } from "../../core/attempt.ts";
import { startRuns } from "./start.ts";
import {
  claimedColumns,
  claimedValues,
  heartbeatValues,
  insertClaimed,
  insertHeartbeat,
  waitingHeartbeat,
} from "./enqueue.ts";
import { claimedRowColumns, encode, toEventRow } from "./rows.ts";
import { settleRuns, toEndRow, endColumns, type Settled } from "./settle.ts";
import { isSpent } from "./spending.ts";
import { startedBefore, hasStarted } from "./transcripts.ts";

const dayOf = (time: string): string =>
  `to_char(to_timestamp(${time} / 1000.0) at time zone 'UTC', 'YYYY-MM-DD')`;

const noBudget: Budget = { runsPerDay: 0, tokensPerDay: 0, moneyPerDay: null };

const budgetValues = ({ runsPerDay, tokensPerDay, moneyPerDay }: Budget): Value[] => [
  runsPerDay,
  tokensPerDay,
  moneyPerDay,
];

/** The starts with the same budget, or none. Budgets differ only just after a change of the configuration. */
function ofOneBudget(starts: readonly AttemptStart[]): { budget: Budget; usual: ReadonlySet<string> } {
  const budget = starts.find((start) => start.budget)?.budget ?? noBudget;
  const usual = starts.filter((start) => start.budget === null || start.budget === budget);
  return { budget, usual: new Set(usual.map(({ id }) => id)) };
}

/** Continues a statement after `held`, the runs to start. `going` are those within the budget. */
function starting(dialect: Dialect): string {
  const now = dialect.timeOf("$1");
  const hasLeft = (runs: string, tokens: string, cost: string): string =>
    `${runs} <= cast($2 as bigint) and ${tokens} < cast($3 as bigint)
        and (cast($4 as double precision) is null or ${cost} < cast($4 as double precision))`;
  return `wanted as materialized (
        select hook, count(*) filter (where started = 0) as runs from held where counts = 1 group by hook),
      counted as (
        insert into spending(hook, day, runs) select hook, ${dayOf(now)}, runs from wanted
        where ${hasLeft("runs", "0", "0")} ${dialect.lockOrder("hook")}
        on conflict (hook, day) do update set runs = spending.runs + excluded.runs
        where ${hasLeft("spending.runs + excluded.runs", "spending.input_tokens + spending.output_tokens", "spending.cost")}
        returning hook),
      going as materialized (select * from held where counts = 0 or hook in (select hook from counted)),
      used as (
        insert into session(agent_id, session_key, foreign_session, last_at)
        select agent, session, null, ${now} from going group by agent, session
        on conflict (agent_id, session_key) do update set last_at = excluded.last_at),
      prompted as (
        insert into turn(agent_id, session_key, run_id, role, isolated, text, created_at)
        select agent, session, id, 'user', 1, text, ${now} from going
        on conflict (run_id, role) where run_id is not null do update set text = excluded.text)`;
}

const firstColumns = [...claimedRowColumns, "text", "budgeted"] as const;

/** How a run was accepted; `left`: it was not stored, and the general program tries. */
export type FirstStep = "started" | "stored" | "left";

/** Stores runs, rows of `toClaimedRow`, as claimed and started; `at` is the time. */
export function* acceptStarted(
  dialect: Dialect,
  input: {
    runs: readonly (readonly Value[])[];
    starts: readonly AttemptStart[];
    leaseMs: number;
    now: number | null;
  },
): Program<{ at: number; steps: FirstStep[] }> {
  const { runs, starts, leaseMs, now: time } = input;
  if (!dialect.concurrent) {
    const now = Number(time);
    yield* insertClaimed(dialect, { runs, leaseMs, now });
    const started = yield* inside(startRuns(dialect, { starts, now }));
    return { at: now, steps: started.map(({ kind }) => (kind === "go" ? "started" : "stored")) };
  }
  const { budget, usual } = ofOneBudget(starts);
  const items = starts.flatMap(({ id, prompt, budget: held }, at) =>
    usual.has(id) ? [[...runs[at]!, encode(prompt), held ? 1 : 0]] : [],
  );
  const rows = yield {
    sql: `with held as materialized (
        select item.*, 0 as started, cast(item.budgeted as integer) as counts from ${dialect.rows(firstColumns, 5)}),
      ${starting(dialect)}
      insert into run(${claimedColumns}) select ${claimedValues("going", dialect.timeOf("$1"), "$5")} from going
      returning id, created_at`,
    values: [time, ...budgetValues(budget), leaseMs],
    rows: { columns: firstColumns, items },
  };
  const started = new Set(rows.map((row) => row["id"]));
  return {
    at: Number(rows[0]?.["created_at"]),
    steps: starts.map(({ id }) => (started.has(id) ? "started" : "left")),
  };
}

const startColumns = ["id", "lease", "hook", "agent", "session", "text", "budgeted"] as const;

export function* startIsolated(
  dialect: Dialect,
  { starts, now: time }: { starts: readonly AttemptStart[]; now: number | null },
): Transaction<(AttemptStarted | null)[]> {
  if (!dialect.concurrent) return yield* startRuns(dialect, { starts, now: Number(time) });
  const { budget, usual } = ofOneBudget(starts);
  const rows = yield {
    sql: `with held as materialized (
        select item.*, ${startedBefore} as started, case when item.budgeted = '1' and released = 0 then 1 else 0 end as counts
        from run, ${dialect.rows(startColumns, 4)} where run.id = item.id and run.lease = item.lease
        ${dialect.lockOrder("run.lane")} ${dialect.forUpdate}),
      ${starting(dialect)}
      select id from going`,
    values: [time, ...budgetValues(budget)],
    rows: {
      columns: startColumns,
      items: starts.flatMap(({ id, lease, hook, agentId, sessionKey, prompt, budget: held }): Value[][] =>
        usual.has(id) ? [[id, lease, hook, agentId, sessionKey, encode(prompt), held ? 1 : 0]] : [],
      ),
    },
  };
  const started = new Set(rows.map((row) => row["id"]));
  return starts.map(({ id }) =>
    started.has(id) ? { kind: "go", history: noHistory, foreignSession: null } : null,
  );
}

const endingColumns = ["agent", "session", "text"] as const;
const summaryColumns = ["event", "event_session", "source", "event_hook", "event_run", "event_text"] as const;
const usedColumns = ["input", "output", "cost"] as const;
const settledColumns = [...endColumns, ...endingColumns, ...summaryColumns, ...usedColumns] as const;

const toSettledRow = (settled: Settled): Value[] => {
  const { ending, summary, used } = settled.settlement;
  return [
    ...toEndRow(settled),
    ...(ending ? [ending.agentId, ending.sessionKey, encode(ending.text)] : [null, null, null]),
    ...(summary ? toEventRow(summary, settled.id) : summaryColumns.map(() => null)),
    ...(used && isSpent(used) ? [used.inputTokens, used.outputTokens, used.cost] : [null, null, null]),
  ];
};

/** Whether a single statement can store the settlement. */
export const isUsualEnd = ({ settlement }: Settled): boolean => {
  const { next, delivery, ending, shownEventIds } = settlement;
  const leavesNothingElse = ending === null || (ending.carried && ending.foreignSession === null);
  return next.kind === "ended" && delivery === null && leavesNothingElse && shownEventIds.length === 0;
};

export function* settleIsolated(
  dialect: Dialect,
  { settlements, now: time }: { settlements: readonly Settled[]; now: number | null },
): Transaction<(boolean | null)[]> {
  if (!dialect.concurrent) return yield* settleRuns(dialect, { settlements, now: Number(time) });
  const heartbeat = settlements.find(({ settlement }) => settlement.heartbeat)?.settlement.heartbeat;
  const values = heartbeat ? heartbeatValues(heartbeat, time) : [time];
  const now = dialect.timeOf("$1");
  // The lock order of every settlement: spending first, then the heartbeat.
  const asking = `budgets as materialized (
        select 1 from spending where hook in (select hook from held where input is not null) and day = ${dayOf(now)}
        ${dialect.lockOrder("hook")} ${dialect.forUpdate}),
      waiting as materialized (${waitingHeartbeat(dialect, "(select count(*) from budgets) >= 0")}),
      requested as (${insertHeartbeat(dialect, "exists(select 1 from held) and not exists(select 1 from waiting)")}),`;
  const rows = yield {
    sql: `with held as materialized (
        select item.*, run.hook, run.kind from run, ${dialect.rows(settledColumns, values.length)}
        where run.id = item.id and run.lease = item.lease ${dialect.lockOrder("run.lane")} ${dialect.forUpdate}),
      ${heartbeat ? asking : ""}
      ended as (
        update run set status = held.outcome, head = 0, lease = null, elapsed_ms = elapsed_ms + cast(held.worked as bigint),
          ended_at = ${now}, reply = held.reply, error = held.fault,
          signals = coalesce(held.signals, run.signals), report = coalesce(held.report, run.report)
        from held where run.id = held.id
          ${heartbeat ? "and (exists(select 1 from waiting) or exists(select 1 from requested))" : ""} returning run.id),
      done as materialized (select * from held where id in (select id from ended)),
      replied as (
        insert into turn(agent_id, session_key, run_id, role, isolated, text, created_at)
        select agent, session, id, 'assistant', 1, text, ${now} from done
        where text is not null and ${hasStarted("done.id")}
        on conflict (run_id, role) where run_id is not null do nothing),
      summed as (
        insert into event(id, session_key, source, hook, run_id, text, created_at)
        select event, event_session, source, event_hook, event_run, event_text, ${now} from done where event is not null),
      spent as (
        insert into spending(hook, day, input_tokens, output_tokens, cost)
        select hook, ${dayOf(now)}, sum(cast(input as bigint)), sum(cast(output as bigint)), sum(cast(cost as double precision))
        from done where input is not null and kind = 'hook' group by hook ${dialect.lockOrder("hook")}
        on conflict (hook, day) do update set input_tokens = spending.input_tokens + excluded.input_tokens,
          output_tokens = spending.output_tokens + excluded.output_tokens, cost = spending.cost + excluded.cost)
      select id from ended`,
    values,
    rows: { columns: settledColumns, items: settlements.map(toSettledRow) },
  };
  const ended = new Set(rows.map((row) => row["id"]));
  return settlements.map(({ id }) => (ended.has(id) ? true : null));
}
