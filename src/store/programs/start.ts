// Turns begin: held against their hook's budget and written down, before any agent hears of them. It is one
// transaction, so that a run is either told and counted, or parked and announced. Many at once, as they are settled.
import { newId } from "../../core/id.ts";
import { mainSessionKey } from "../../core/run.ts";
import { dayOf, nextDay } from "../../core/spending.ts";
import { noHistory } from "../../core/transcript.ts";
import { together, type Dialect, type Program, type Row, type Value } from "../driver/program.ts";
import type { AttemptStarted, AttemptStart } from "../../core/attempt.ts";
import { insertEvent } from "./enqueue.ts";
import { encode } from "./rows.ts";
import { countBegun, readSpending, withinBudget } from "./spending.ts";
import { begunBefore, historyOf, putSessions, sessionName } from "./transcripts.ts";

export type BeginInput = { starts: readonly AttemptStart[]; now: number };

export function* beginRuns(dialect: Dialect, { starts, now }: BeginInput): Program<AttemptStarted[]> {
  const hooks = starts.flatMap(({ hook, budget }) => (budget ? [hook] : []));
  const [held, spent] = yield* together(dialect, [hold(dialect, starts), readSpending(dialect, hooks, now)]);
  const going = starts.filter(({ id }) => held.has(id));
  const wishes = going.flatMap(({ id, hook, budget }) => {
    const row = held.get(id)!;
    if (!budget || Number(row["released"]) === 1) return [];
    return [{ id, hook, budget, isNew: Number(row["begun"]) === 0 }];
  });
  const { refused, begun } = withinBudget(wishes, spent);
  const told = going.filter(({ id }) => !refused.has(id));
  const remembering = told.filter(({ isolated }) => !isolated);
  const [, foreign, , histories] = yield* together(
    dialect,
    [
      countBegun(dialect, begun, now),
      putSessions(
        dialect,
        told.map((start) => ({ ...start, foreignSession: null })),
        now,
      ),
      putTurns(dialect, told, now),
      together(dialect, remembering.map(historyOf)),
    ],
    { last: refused.size === 0 },
  );
  const recalled = new Map(remembering.map(({ id }, at) => [id, histories[at] ?? noHistory]));

  const answers: AttemptStarted[] = [];
  for (const start of starts) {
    const reason = refused.get(start.id);
    if (!held.has(start.id)) answers.push({ kind: "lost" });
    else if (reason !== undefined) answers.push(yield* park(start, reason, now));
    else {
      const foreignSession = start.isolated ? null : (foreign.get(sessionName(start)) ?? null);
      answers.push({ kind: "go", history: recalled.get(start.id) ?? noHistory, foreignSession });
    }
  }
  return answers;
}

const heldColumns = ["id", "lease"] as const;

function* hold(dialect: Dialect, starts: readonly AttemptStart[]): Program<Map<string, Row>> {
  const rows = yield {
    sql: `select run.id, released, ${begunBefore} as begun from run, ${dialect.rows(heldColumns, 0)}
      where run.id = item.id and run.lease = item.lease
      ${dialect.lockOrder("run.lane")} ${dialect.forUpdate}`,
    values: [],
    rows: { columns: heldColumns, items: starts.map(({ id, lease }) => [id, lease]) },
  };
  return new Map(rows.map((row) => [String(row["id"]), row]));
}

const turnRowColumns = ["agent", "session", "run", "isolated", "text"] as const;

/** An attempt that is made again says nothing twice. */
function* putTurns(dialect: Dialect, starts: readonly AttemptStart[], now: number): Program<void> {
  if (starts.length === 0) return;
  const items = starts.map(({ agentId, sessionKey, id, isolated, prompt }): Value[] => [
    agentId,
    sessionKey,
    id,
    isolated ? 1 : 0,
    encode(prompt),
  ]);
  yield {
    sql: `insert into turn(agent_id, session_key, run_id, role, isolated, text, created_at)
      ${dialect.stored(turnRowColumns, 1, `item.agent, item.session, item.run, 'user', cast(item.isolated as smallint), item.text, cast($1 as bigint)`)}
      on conflict (run_id, role) where run_id is not null do update set text = excluded.text`,
    values: [now],
    rows: { columns: turnRowColumns, items },
  };
}

/** Waits until the next day, or until it is released; costs no attempt. The main session hears of it once a day. */
function* park({ id, hook }: AttemptStart, reason: string, now: number): Program<AttemptStarted> {
  const error = `over the budget of its hook: ${reason}`;
  yield {
    sql: `update run set status = 'parked', lease = null, attempts = attempts - 1, ready_at = $2, error = $3 where id = $1`,
    values: [id, nextDay(now), encode(error)],
  };
  const first = yield {
    sql: "update spending set announced = 1 where hook = $1 and day = $2 and announced = 0 returning hook",
    values: [hook, dayOf(now)],
  };
  if (first.length > 0) {
    const text = [
      "Runs of the hook ",
      { label: "hook", source: "request", text: hook },
      ` are parked until tomorrow: they are over their budget of ${reason}. Let them go with: rouse runs release`,
    ] as const;
    const event = { id: newId(), sessionKey: mainSessionKey, source: "notice", hook: null, text } as const;
    yield* insertEvent(event, null, now);
  }
  return { kind: "parked", reason: error };
}
