// Claim on accept: isolated runs are stored as claimed and started. On PostgreSQL one statement does it, because every
// statement of a transaction is a round trip, and a caller waits. No other run can be in the lane of an isolated run, so
// nothing has to be read again after a lock.
import type { AttemptStart } from "../../core/attempt.ts";
import type { Budget } from "../../core/spending.ts";
import type { Dialect } from "../driver/dialect.ts";
import { ask, inside, type Program, type Value } from "../driver/program.ts";
import { claimedColumns, claimedValues, insertClaimed } from "./enqueue.ts";
import { isNotPaused } from "./paused.ts";
import {
  insertRequests,
  insertRequestsFrom,
  keptOf,
  requestRowColumns,
  type RequestRows,
  withRequests,
} from "./requests.ts";
import { claimedRowColumns, encode } from "./rows.ts";
import { startRuns } from "./start.ts";

/** How a run was accepted; `left`: it is not stored, and another program has to store it. */
export type AcceptStep = "started" | "stored" | "left";

/** `runs` are rows of `toClaimedRow`, each with its start and its request. */
type StartedInput = {
  runs: readonly (readonly Value[])[];
  requests: RequestRows;
  starts: readonly AttemptStart[];
  leaseMs: number;
  now: number | null;
};

/** `at` is when the runs were stored. */
type StartedOutput = { at: number; steps: AcceptStep[] };

export function* acceptStarted(dialect: Dialect, input: StartedInput): Program<StartedOutput> {
  const { runs, requests, starts, leaseMs, now: time } = input;
  if (dialect.concurrent) return yield* acceptInOneStatement(dialect, input);
  const now = Number(time);
  yield* insertClaimed(dialect, { runs, leaseMs, now });
  yield* ask(insertRequests(dialect, { requests: keptOf(requests), now }));
  const started = yield* inside(startRuns(dialect, { starts, now }));
  return { at: now, steps: started.map(({ kind }) => (kind === "go" ? "started" : "stored")) };
}

const noBudget: Budget = { runsPerDay: 0, tokensPerDay: 0, moneyPerDay: null };
const columns = [...claimedRowColumns, "text", "budget", ...requestRowColumns] as const;

/** Leaves runs over their budget, those of paused hooks, and the few whose budget differs just after a change of the configuration. */
function* acceptInOneStatement(
  dialect: Dialect,
  { runs, requests, starts, leaseMs, now }: StartedInput,
): Program<StartedOutput> {
  const budget = starts.find((start) => start.budget)?.budget ?? noBudget;
  const items = withRequests(
    starts.map((start, at) => [...runs[at]!, encode(start.prompt), start.budget && start.hook]),
    requests,
  ).filter((_, at) => starts[at]!.budget === null || starts[at]!.budget === budget);
  const rows = yield {
    sql: acceptSql(dialect),
    values: [now, budget.runsPerDay, budget.tokensPerDay, budget.moneyPerDay, leaseMs],
    rows: { columns, items },
  };
  const started = new Set(rows.map((row) => row["id"]));
  return {
    at: Number(rows[0]?.["created_at"]),
    steps: starts.map(({ id }) => (started.has(id) ? "started" : "left")),
  };
}

/** Counts the runs, marks their sessions as used, and stores prompts and runs. `going` are those within the budget. */
function acceptSql(dialect: Dialect): string {
  const now = dialect.timeOf("$1");
  const day = `to_char(to_timestamp(${now} / 1000.0) at time zone 'UTC', 'YYYY-MM-DD')`;
  const hasLeft = (runs: string, tokens: string, cost: string): string =>
    `${runs} <= cast($2 as bigint) and ${tokens} < cast($3 as bigint)
        and (cast($4 as double precision) is null or ${cost} < cast($4 as double precision))`;
  return `with incoming as materialized (select item.* from ${dialect.rows(columns, 5)} where ${isNotPaused("item.hook")}),
      wanted as materialized (select budget as hook, count(*) as runs from incoming where budget is not null group by budget),
      counted as (
        insert into spending(hook, day, runs) select hook, ${day}, runs from wanted
        where ${hasLeft("runs", "0", "0")} ${dialect.lockOrder("hook")}
        on conflict (hook, day) do update set runs = spending.runs + excluded.runs
        where ${hasLeft("spending.runs + excluded.runs", "spending.input_tokens + spending.output_tokens", "spending.cost")}
        returning hook),
      going as materialized (select * from incoming where budget is null or budget in (select hook from counted)),
      used as (
        insert into session(agent_id, session_key, foreign_session, last_at)
        select agent, session, null, ${now} from going group by agent, session
        on conflict (agent_id, session_key) do update set last_at = excluded.last_at),
      prompted as (
        insert into turn(agent_id, session_key, run_id, role, isolated, text, attempt, created_at)
        select agent, session, id, 'user', 1, text, 1, ${now} from going
        on conflict (run_id, role) where run_id is not null do update set text = excluded.text, attempt = excluded.attempt),
      kept as (${insertRequestsFrom("going", "true", now)})
      insert into run(${claimedColumns}) select ${claimedValues("going", now, "$5")} from going
      returning id, created_at`;
}
