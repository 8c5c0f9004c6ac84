// Starts attempts: counts each against its hook's budget and stores its prompt before the agent is called. One
// transaction for many, so that a run is either started and counted, or parked with a notice.
import type { AttemptStart, AttemptStarted } from "../../core/attempt.ts";
import { newId } from "../../core/id.ts";
import { mainSessionKey } from "../../core/run.ts";
import { dayOf, nextDay } from "../../core/spending.ts";
import { noHistory } from "../../core/transcript.ts";
import type { Dialect } from "../driver/dialect.ts";
import {
  ask,
  command,
  finalBatch,
  nothing,
  queries,
  type Program,
  type Query,
  type Row,
  type Transaction,
  type Value,
} from "../driver/program.ts";
import { insertEvent } from "./events.ts";
import { pausedError, pausedMs, pausedRuns } from "./paused.ts";
import { encode } from "./rows.ts";
import { countStarted, readSpending, withinBudget } from "./spending.ts";
import { historyOf, sessionName, startedBefore, touchSessions } from "./transcripts.ts";

export type StartInput = { starts: readonly AttemptStart[]; now: number };

export function* startRuns(dialect: Dialect, { starts, now }: StartInput): Transaction<AttemptStarted[]> {
  const hooks = starts.flatMap(({ hook, budget }) => (budget ? [hook] : []));
  const ids = starts.map(({ id }) => id);
  const [paused, held, spent] = yield* ask(
    queries([
      pausedRuns(dialect, ids),
      lockRuns(dialect, starts),
      readSpending(dialect, hooks, now),
    ] as const),
  );
  const startable = starts.filter(({ id }) => !paused.has(id));
  const { refused, counts } = withinBudget(budgetedRuns(startable, held), spent);
  const going = startable.filter(({ id }) => held.has(id) && !refused.has(id));
  const attempts = going.map((start) => ({ ...start, attempt: Number(held.get(start.id)?.["attempts"]) }));
  const { statements, toResult } = startTurns(dialect, attempts, counts, now);
  const started = (rows: readonly Row[][]): AttemptStarted[] => {
    const byId = toResult(rows);
    return starts.map(({ id }) => byId.get(id) ?? { kind: "lost" });
  };
  if (refused.size === 0 && paused.size === 0) return finalBatch(statements, started);
  const results = yield* ask({ statements, toResult: started });
  for (const [at, start] of starts.entries()) {
    const reason = refused.get(start.id);
    if (reason !== undefined) results[at] = yield* parkOverBudget(start, reason, now);
    else if (paused.has(start.id) && held.has(start.id))
      results[at] = yield* park(start.id, pausedError, now + pausedMs);
  }
  return results;
}

const heldColumns = ["id", "lease"] as const;

function lockRuns(dialect: Dialect, starts: readonly AttemptStart[]): Query<Map<string, Row>> {
  const statement = {
    sql: `select run.id, run.attempts, released, ${startedBefore} as started from run, ${dialect.rows(heldColumns, 0)}
      where run.id = item.id and run.lease = item.lease
      ${dialect.lockOrder("run.lane")} ${dialect.forUpdate}`,
    values: [],
    rows: { columns: heldColumns, items: starts.map(({ id, lease }) => [id, lease]) },
  };
  return {
    statements: [statement],
    toResult: ([rows]) => new Map(rows!.map((row) => [String(row["id"]), row])),
  };
}

/** The runs that count against a budget. A released run may start whatever the budget says. */
const budgetedRuns = (starts: readonly AttemptStart[], held: ReadonlyMap<string, Row>) =>
  starts.flatMap(({ id, hook, budget }) => {
    const row = held.get(id);
    if (!row || !budget || Number(row["released"]) === 1) return [];
    return [{ id, hook, budget, isNew: Number(row["started"]) === 0 }];
  });

/** `attempt`: which one of its run. */
type NumberedStart = AttemptStart & { attempt: number };

/** Counts the runs, marks their sessions as used, stores their prompts, and reads the history of conversations. */
function startTurns(
  dialect: Dialect,
  starts: readonly NumberedStart[],
  counts: ReadonlyMap<string, number>,
  now: number,
): Query<Map<string, AttemptStarted>> {
  const conversations = starts.filter(({ isolated }) => !isolated);
  const sessions = starts.map((start) => ({ ...start, foreignSession: null }));
  const { statements, toResult } = queries([
    countStarted(dialect, counts, now),
    touchSessions(dialect, sessions, now),
    putTurns(dialect, starts, now),
    queries(conversations.map(historyOf)),
  ] as const);
  return {
    statements,
    toResult(rows) {
      const [, foreign, , histories] = toResult(rows);
      const history = new Map(conversations.map(({ id }, at) => [id, histories[at]!]));
      return new Map(
        starts.map((start) => [
          start.id,
          {
            kind: "go",
            history: history.get(start.id) ?? noHistory,
            foreignSession: start.isolated ? null : (foreign.get(sessionName(start)) ?? null),
          },
        ]),
      );
    },
  };
}

const turnRowColumns = ["agent", "session", "run", "isolated", "text", "attempt"] as const;

/** A later attempt replaces the prompt of an earlier one. */
function putTurns(dialect: Dialect, starts: readonly NumberedStart[], now: number): Query<void> {
  if (starts.length === 0) return nothing;
  const items = starts.map(({ agentId, sessionKey, id, isolated, prompt, attempt }): Value[] => [
    agentId,
    sessionKey,
    id,
    isolated ? 1 : 0,
    encode(prompt),
    attempt,
  ]);
  return command({
    sql: `insert into turn(agent_id, session_key, run_id, role, isolated, text, attempt, created_at)
      ${dialect.stored(turnRowColumns, 1, `item.agent, item.session, item.run, 'user', cast(item.isolated as smallint), item.text, cast(item.attempt as integer), cast($1 as bigint)`)}
      on conflict (run_id, role) where run_id is not null do update set text = excluded.text, attempt = excluded.attempt`,
    values: [now],
    rows: { columns: turnRowColumns, items },
  });
}

/** The attempt does not count. */
function* park(id: string, error: string, until: number): Program<AttemptStarted> {
  yield {
    sql: `update run set status = 'parked', lease = null, attempts = attempts - 1, ready_at = $2, error = $3 where id = $1`,
    values: [id, until, encode(error)],
  };
  return { kind: "parked", reason: error };
}

/** The run waits until the next day or until it is released. One notice a day and hook. */
function* parkOverBudget({ id, hook }: AttemptStart, reason: string, now: number): Program<AttemptStarted> {
  const parked = yield* park(id, `over its budget: ${reason}`, nextDay(now));
  const first = yield {
    sql: "update spending set announced = 1 where hook = $1 and day = $2 and announced = 0 returning hook",
    values: [hook, dayOf(now)],
  };
  if (first.length > 0) {
    const text = [
      "Runs under the budget of ",
      { label: "hook", source: "request", text: hook },
      ` are parked until tomorrow: they are over its ${reason}. Let them go with: rouse runs release`,
    ] as const;
    const event = { id: newId(), sessionKey: mainSessionKey, source: "notice", hook: null, text } as const;
    yield* insertEvent(event, null, now);
  }
  return parked;
}
