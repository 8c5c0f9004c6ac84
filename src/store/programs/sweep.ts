// Retention: removes old finished rows in small steps, so that no other write waits for long.
import { auditMs, type Retention } from "../../core/retention.ts";
import { dayOf } from "../../core/spending.ts";
import type { Dialect } from "../driver/dialect.ts";
import type { Program } from "../driver/program.ts";
import { sweepFailures } from "./auth-failures.ts";
import { sweepMail } from "./mail.ts";

type SweepInput = { retention: Retention; limit: number; now: number };

type Expiring = { table: string; column: string; age: keyof Retention | "auditMs"; key: string };

const expired: readonly Expiring[] = [
  { table: "run", column: "ended_at", age: "finishedMs", key: "seq" },
  { table: "event", column: "shown_at", age: "finishedMs", key: "seq" },
  { table: "delivery", column: "ended_at", age: "finishedMs", key: "seq" },
  { table: "attempt", column: "ended_at", age: "finishedMs", key: "run_id, number" },
  { table: "audit", column: "created_at", age: "auditMs", key: "seq" },
  { table: "request", column: "created_at", age: "requestsMs", key: "seq" },
  { table: "idempotency", column: "created_at", age: "idempotencyMs", key: "hook, key" },
];

/** At most `limit` rows of each kind. */
export function* sweep(_dialect: Dialect, input: SweepInput): Program<number> {
  const { retention, limit, now } = input;
  const ages = { ...retention, auditMs };
  let removed = 0;
  for (const { table, column, age, key } of expired) {
    const rows = yield {
      sql: `delete from ${table} where (${key}) in (
        select ${key} from ${table} where ${column} is not null and ${column} <= $1 order by ${column} limit $2) returning ${key}`,
      values: [now - ages[age], limit],
    };
    removed += rows.length;
  }
  removed += yield* sweepTranscripts(input);
  removed += yield* sweepSpending(input);
  removed += yield* sweepMail(input);
  removed += yield* sweepFailures(input);
  return removed;
}

/**
 * Removes all turns of conversations that are no longer used, and of those in use the turns that are no longer carried.
 * An isolated turn is removed like its run.
 */
function* sweepTranscripts({ retention, limit, now }: SweepInput): Program<number> {
  const values = [now - retention.finishedMs, limit];
  const turns = yield {
    sql: `delete from turn where seq in (select turn.seq from turn left join session
        on session.agent_id = turn.agent_id and session.session_key = turn.session_key
        where turn.created_at <= $1
          and (turn.isolated = 1 or turn.compacted = 1 or session.last_at is null or session.last_at <= $1)
        order by turn.created_at limit $2) returning seq`,
    values,
  };
  const sessions = yield {
    sql: `delete from session where (agent_id, session_key) in (
        select agent_id, session_key from session where last_at <= $1 and not exists (select 1 from turn
          where turn.agent_id = session.agent_id and turn.session_key = session.session_key)
        order by last_at limit $2) returning agent_id`,
    values,
  };
  return turns.length + sessions.length;
}

function* sweepSpending({ retention, limit, now }: SweepInput): Program<number> {
  const spent = yield {
    sql: `delete from spending where (hook, day) in (
        select hook, day from spending where day < $1 order by hook, day limit $2) returning day`,
    values: [dayOf(now - retention.finishedMs), limit],
  };
  return spent.length;
}

/** A conversation with more turns than are carried, and the oldest turn that is. */
export type LongConversation = { agentId: string; sessionKey: string; oldestCarried: number };

const carried = "compacted = 0 and isolated = 0";

/** A read of its own, because it reads all of the index of carried turns and must not block the writer. */
export function* longConversations(
  _dialect: Dialect,
  { turns, limit }: { turns: number; limit: number },
): Program<LongConversation[]> {
  const rows = yield {
    sql: `select agent_id, session_key, (select seq from turn
          where turn.agent_id = long.agent_id and turn.session_key = long.session_key and ${carried}
          order by seq desc limit 1 offset ${turns - 1}) as oldest
      from (select agent_id, session_key from turn where ${carried}
        group by agent_id, session_key having count(*) > ${turns} limit $1) as long`,
    values: [limit],
  };
  return rows.map((row) => ({
    agentId: String(row["agent_id"]),
    sessionKey: String(row["session_key"]),
    oldestCarried: Number(row["oldest"]),
  }));
}

/** Removes old turns that are older than those their conversation carries. */
export function* sweepConversations(
  _dialect: Dialect,
  { conversations, retention, limit, now }: SweepInput & { conversations: readonly LongConversation[] },
): Program<number> {
  let removed = 0;
  for (const { agentId, sessionKey, oldestCarried } of conversations) {
    const rows = yield {
      sql: `delete from turn where seq in (select seq from turn
          where agent_id = $1 and session_key = $2 and ${carried} and seq < $3 and created_at <= $4
          order by seq limit $5) returning seq`,
      values: [agentId, sessionKey, oldestCarried, now - retention.finishedMs, limit - removed],
    };
    removed += rows.length;
    if (removed >= limit) break;
  }
  return removed;
}
