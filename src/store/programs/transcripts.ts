// Transcripts: an attempt starts with its prompt (start.ts) and ends with its reply.
import { largest } from "../../core/largest.ts";
import type { History, Session, TranscriptRole, TranscriptTurn } from "../../core/transcript.ts";
import { mostCarriedTurns } from "../../core/retention.ts";
import type { Dialect } from "../driver/dialect.ts";
import {
  command,
  nothing,
  queries,
  type Program,
  type Query,
  type Row,
  type Statement,
} from "../driver/program.ts";
import type { AttemptStart } from "../../core/attempt.ts";
import type { TurnEnding } from "../../core/settlement.ts";
import { byBytes, encode } from "./rows.ts";
import { jsonIn, readEach, type Reading } from "./shapes.ts";
import * as shapes from "./shapes.ts";

const turnColumns = ["seq", "agent_id", "session_key", "run_id", "role", "compacted", "text", "created_at"];
const allOfTurn = turnColumns.join(", ");

const toTurn = (row: Row, reading: Reading): TranscriptTurn => ({
  seq: Number(row["seq"]),
  agentId: String(row["agent_id"]),
  sessionKey: String(row["session_key"]),
  runId: row["run_id"] == null ? null : String(row["run_id"]),
  role: String(row["role"]) as TranscriptRole,
  text: jsonIn(row, "text", shapes.text, reading) as string,
  createdAt: Number(row["created_at"]),
  compacted: Number(row["compacted"]) === 1,
});

type SessionId = { agentId: string; sessionKey: string };

/**
 * Turns of earlier runs in this session, without this run's own. Recursive, from the newest turn backwards, so that it
 * reads no more turns than the attempt carries.
 */
export function historyOf({ agentId, sessionKey, id, historyCharacters }: AttemptStart): Query<History> {
  const statement = {
    sql: `with recursive back(seq, total, turns) as (
        select cast(9223372036854775807 as bigint), cast(0 as bigint), 0
        union all
        select turn.seq, back.total + length(turn.text), back.turns + 1 from back join turn on turn.seq = (
          select older.seq from turn older where older.agent_id = $1 and older.session_key = $2
            and older.compacted = 0 and older.isolated = 0 and older.seq < back.seq
            and (older.run_id is null or older.run_id <> $3) order by older.seq desc limit 1)
        where back.total < cast($4 as bigint) and back.turns < ${mostCarriedTurns})
      select ${turnColumns.map((column) => `turn.${column}`).join(", ")}, total
      from back join turn on turn.seq = back.seq`,
    values: [agentId, sessionKey, id, historyCharacters],
  };
  return { statements: [statement], toResult: ([rows]) => toHistory(rows!, historyCharacters) };
}

function toHistory(rows: readonly Row[], historyCharacters: number): History {
  const characters = largest(
    rows.map((row) => Number(row["total"])),
    0,
  );
  const { items, unreadable } = readEach(rows, (row) => toTurn(row, "use"));
  const turns = items.toSorted((one, other) => one.seq - other.seq);
  return {
    ...(unreadable.length > 0 && {
      unreadable: unreadable.map(({ row, reason }) => ({ table: "turn", id: String(row["seq"]), reason })),
    }),
    turns: [...turns.filter(isSummary), ...turns.filter((turn) => !isSummary(turn))],
    hasOlder: rows.length === mostCarriedTurns || (rows.length > 0 && characters >= historyCharacters),
  };
}

const isSummary = ({ role }: TranscriptTurn): boolean => role === "summary";

const sessionColumns = ["agent", "session", "foreign_id"] as const;

type Used = SessionId & { foreignSession: string | null };

export const sessionName = ({ agentId, sessionKey }: SessionId): string =>
  JSON.stringify([agentId, sessionKey]);

function useSessions(dialect: Dialect, used: readonly Used[], now: number): Statement {
  const byKey = new Map(used.map((each) => [sessionName(each), each]));
  const items = byBytes([...byKey], ([key]) => key).map(([, each]) => each);
  return {
    sql: `insert into session(agent_id, session_key, foreign_session, last_at)
      ${dialect.stored(sessionColumns, 1, "item.agent, item.session, item.foreign_id, cast($1 as bigint)")}
      on conflict (agent_id, session_key) do update set last_at = excluded.last_at,
        foreign_session = coalesce(excluded.foreign_session, session.foreign_session)
      returning agent_id, session_key, foreign_session`,
    values: [now],
    rows: {
      columns: sessionColumns,
      items: items.map(({ agentId, sessionKey, foreignSession }) => [agentId, sessionKey, foreignSession]),
    },
  };
}

/** Marks the sessions as used now. Returns the agents' own session ids, where they are known. */
export function touchSessions(
  dialect: Dialect,
  used: readonly Used[],
  now: number,
): Query<Map<string, string>> {
  if (used.length === 0) return { statements: [], toResult: () => new Map() };
  return {
    statements: [useSessions(dialect, used, now)],
    toResult: ([rows]) =>
      new Map(
        rows!.flatMap((row) =>
          row["foreign_session"] == null
            ? []
            : [
                [
                  sessionName({ agentId: String(row["agent_id"]), sessionKey: String(row["session_key"]) }),
                  String(row["foreign_session"]),
                ],
              ],
        ),
      ),
  };
}

const endingColumns = ["run", "agent", "session", "text"] as const;
const runColumn = ["run"] as const;

/** A column of the turn with the run's prompt. A subquery, because a join may read the whole table. */
const promptTurn = (column: string, runId: string): string =>
  `(select ${column} from turn where run_id = ${runId} and role = 'user')`;
const hasStarted = (runId: string): string => `${promptTurn("seq", runId)} is not null`;
/** 1 for a run that has been counted against its budget, even if its attempts were released. */
export const startedBefore = `case when ${hasStarted("run.id")} then 1 else 0 end`;

/** Whether the latest attempt of a run has started. An earlier version stored no number; then it counts. */
export const attemptStarted = `exists(select 1 from turn where run_id = run.id and role = 'user' and coalesce(turn.attempt, run.attempts) = run.attempts)`;

/** Stores the replies of ended runs. */
export function endTurns(
  dialect: Dialect,
  endings: readonly (TurnEnding & { runId: string })[],
  now: number,
): Query<unknown> {
  if (endings.length === 0) return nothing;
  const reply: Statement = {
    sql: `insert into turn(agent_id, session_key, run_id, role, isolated, text, created_at)
      select item.agent, item.session, item.run, 'assistant', ${promptTurn("isolated", "item.run")}, item.text, cast($1 as bigint)
      from ${dialect.rows(endingColumns, 1)} where ${hasStarted("item.run")}
      on conflict (run_id, role) where run_id is not null do nothing`,
    values: [now],
    rows: {
      columns: endingColumns,
      items: endings.map(({ runId, agentId, sessionKey, text }) => [
        runId,
        agentId,
        sessionKey,
        encode(text),
      ]),
    },
  };
  const leftOut = endings.filter(({ carried: isCarried }) => !isCarried);
  const { from, item } = dialect.given(runColumn, 0);
  const leaveOut: Statement = {
    sql: `update turn set compacted = 1 ${from} where run_id = ${item.run}`,
    values: [],
    rows: { columns: runColumn, items: leftOut.map(({ runId }) => [runId]) },
  };
  const named = endings.filter(({ foreignSession }) => foreignSession !== null);
  return queries([
    command(reply),
    leftOut.length > 0 ? command(leaveOut) : nothing,
    touchSessions(dialect, named, now),
  ]);
}

/** A summary replaces everything up to `upTo`, including earlier summaries. False when the run's lease was lost. */
export function* compact(
  { forUpdate }: Dialect,
  input: SessionId & { runId: string; lease: string; upTo: number; summary: string; now: number },
): Program<boolean> {
  const held = yield {
    sql: `select id from run where id = $1 and lease = $2 ${forUpdate}`,
    values: [input.runId, input.lease],
  };
  if (held.length === 0) return false;
  const rows = yield {
    sql: `update turn set compacted = 1 where agent_id = $1 and session_key = $2 and compacted = 0
      and (seq <= $3 or role = 'summary') returning seq`,
    values: [input.agentId, input.sessionKey, input.upTo],
  };
  if (rows.length === 0) return true;
  yield {
    sql: `insert into turn(agent_id, session_key, run_id, role, isolated, text, created_at)
      values ($1, $2, null, 'summary', 0, $3, $4)`,
    values: [input.agentId, input.sessionKey, encode(input.summary), input.now],
  };
  return true;
}

export function* listTurns(
  _dialect: Dialect,
  input: { runId: string } | SessionId,
): Program<TranscriptTurn[]> {
  const rows =
    "runId" in input
      ? yield { sql: `select ${allOfTurn} from turn where run_id = $1 order by seq`, values: [input.runId] }
      : yield {
          sql: `select ${allOfTurn} from turn where agent_id = $1 and session_key = $2 order by seq`,
          values: [input.agentId, input.sessionKey],
        };
  return rows.map((row) => toTurn(row, "show"));
}

const seqColumn = ["seq"] as const;

/** Turns that cannot be read are no longer carried. */
export function* setTurnsAside(dialect: Dialect, input: { seqs: readonly string[] }): Program<void> {
  const { from, item } = dialect.given(seqColumn, 0);
  yield {
    sql: `update turn set compacted = 1 ${from} where turn.seq = cast(${item.seq} as bigint)`,
    values: [],
    rows: { columns: seqColumn, items: input.seqs.map((seq) => [seq]) },
  };
}

export function* listSessions(_dialect: Dialect, input: { limit: number }): Program<Session[]> {
  const rows = yield {
    sql: `select session.agent_id, session.session_key, foreign_session, last_at,
        (select count(*) from turn where turn.agent_id = session.agent_id and turn.session_key = session.session_key) as turns
      from session order by last_at desc limit $1`,
    values: [input.limit],
  };
  return rows.map((row) => ({
    agentId: String(row["agent_id"]),
    sessionKey: String(row["session_key"]),
    turns: Number(row["turns"]),
    lastAt: Number(row["last_at"]),
    foreignSession: row["foreign_session"] == null ? null : String(row["foreign_session"]),
  }));
}

/** The next run gets no earlier turns; they stay in the list. False: there is no such session. */
export function* resetSession(_dialect: Dialect, input: SessionId): Program<boolean> {
  const rows = yield {
    sql: "update session set foreign_session = null where agent_id = $1 and session_key = $2 returning agent_id",
    values: [input.agentId, input.sessionKey],
  };
  yield {
    sql: "update turn set compacted = 1 where agent_id = $1 and session_key = $2 and compacted = 0",
    values: [input.agentId, input.sessionKey],
  };
  return rows.length > 0;
}
