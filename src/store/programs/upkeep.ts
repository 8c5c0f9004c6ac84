// The periodic heartbeat, settings, records of requests, retention.
import { dayOf } from "../../core/spending.ts";
import type { Target } from "../../core/target.ts";
import type { Dialect } from "../driver/dialect.ts";
import type { Program } from "../driver/program.ts";
import type { RequestRecord } from "../../core/request.ts";
import type { Retention } from "../../core/retention.ts";
import type { HeartbeatRequest } from "../../core/system-event.ts";
import { sweepFailures } from "./auth-failures.ts";
import { requestHeartbeat } from "./enqueue.ts";
import { sweepMail } from "./mail.ts";
import { encode } from "./rows.ts";

const heartbeatDue = "heartbeat-due";
const lastTargetName = "last-target";
const probeName = "probe";

/** Of several nodes, the one that moves the stored due time requests the heartbeat. */
export function* beatIfDue(
  dialect: Dialect,
  input: { request: HeartbeatRequest; everyMs: number; now: number },
): Program<number> {
  const { request, everyMs, now } = input;
  const next = String(now + everyMs);
  yield {
    sql: "insert into setting(name, value) values ($1, $2) on conflict (name) do nothing",
    values: [heartbeatDue, next],
  };
  const moved = yield {
    sql: "update setting set value = $2 where name = $1 and cast(value as bigint) <= cast($3 as bigint) returning value",
    values: [heartbeatDue, next, now],
  };
  if (moved.length > 0) yield* requestHeartbeat(dialect, { ...request, now });
  // A shorter period takes effect at once.
  yield {
    sql: "update setting set value = $2 where name = $1 and cast(value as bigint) > cast($3 as bigint)",
    values: [heartbeatDue, next, now + everyMs],
  };
  const [due] = yield { sql: "select value from setting where name = $1", values: [heartbeatDue] };
  return Number(due?.["value"]) - now;
}

function* putSetting(name: string, value: string): Program<void> {
  yield {
    sql: "insert into setting(name, value) values ($1, $2) on conflict (name) do update set value = excluded.value",
    values: [name, value],
  };
}

export function* lastTarget(_dialect: Dialect, _input: null): Program<Target | null> {
  const [row] = yield { sql: "select value from setting where name = $1", values: [lastTargetName] };
  return row ? (JSON.parse(String(row["value"])) as Target | null) : null;
}

export function* setLastTarget(_dialect: Dialect, input: { target: Target | null }): Program<void> {
  yield* putSetting(lastTargetName, encode(input.target));
}

export function* probe(_dialect: Dialect, input: { now: number }): Program<void> {
  yield* putSetting(probeName, String(input.now));
}

export function* databaseTime({ time }: Dialect, _input: null): Program<number> {
  const [row] = yield { sql: `select ${time} as time`, values: [] };
  return Number(row?.["time"]);
}

export function* recordRequest(
  _dialect: Dialect,
  input: Omit<RequestRecord, "createdAt"> & { now: number },
): Program<void> {
  yield {
    sql: "insert into request(id, hook, outcome, reason, created_at) values ($1, $2, $3, $4, $5)",
    values: [input.id, input.hook, input.outcome, encode(input.reason), input.now],
  };
}

/** All turns of a conversation stay while it is used; an isolated turn is removed like its run. */
function* sweepTranscripts(input: { retention: Retention; limit: number; now: number }): Program<number> {
  const before = input.now - input.retention.finishedMs;
  const turns = yield {
    sql: `delete from turn where seq in (select turn.seq from turn left join session
        on session.agent_id = turn.agent_id and session.session_key = turn.session_key
        where turn.created_at <= $1 and (turn.isolated = 1 or session.last_at is null or session.last_at <= $1)
        order by turn.created_at limit $2) returning seq`,
    values: [before, input.limit],
  };
  const sessions = yield {
    sql: `delete from session where last_at <= $1 and not exists (select 1 from turn
        where turn.agent_id = session.agent_id and turn.session_key = session.session_key) returning agent_id`,
    values: [before],
  };
  const spent = yield {
    sql: "delete from spending where day < $1 returning day",
    values: [dayOf(before)],
  };
  return turns.length + sessions.length + spent.length;
}

const expired: readonly { table: string; column: string; age: keyof Retention; key: string }[] = [
  { table: "run", column: "ended_at", age: "finishedMs", key: "seq" },
  { table: "event", column: "shown_at", age: "finishedMs", key: "seq" },
  { table: "delivery", column: "ended_at", age: "finishedMs", key: "seq" },
  { table: "request", column: "created_at", age: "requestsMs", key: "seq" },
];

/** At most `limit` rows of each table, so that retention never blocks the writer for long. */
export function* sweep(
  _dialect: Dialect,
  input: { retention: Retention; limit: number; now: number },
): Program<number> {
  let removed = 0;
  for (const { table, column, age, key } of expired) {
    const rows = yield {
      sql: `delete from ${table} where ${key} in (
        select ${key} from ${table} where ${column} is not null and ${column} <= $1 order by ${column} limit $2) returning ${key}`,
      values: [input.now - input.retention[age], input.limit],
    };
    removed += rows.length;
  }
  removed += yield* sweepTranscripts(input);
  removed += yield* sweepMail(input);
  removed += yield* sweepFailures(input);
  const keys = yield {
    sql: `delete from idempotency where (hook, key) in (
      select hook, key from idempotency where created_at <= $1 order by created_at limit $2) returning key`,
    values: [input.now - input.retention.idempotencyMs, input.limit],
  };
  return removed + keys.length;
}
