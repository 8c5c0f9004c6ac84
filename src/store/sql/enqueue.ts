// Into the queue: runs by lane, events, and the coalescing heartbeat request.
import type { NewEvent } from "../../core/system-event.ts";
import type { RunRequest } from "../../core/action.ts";
import { heartbeatLane, mainSessionKey } from "../../core/run.ts";
import { newId } from "../../core/id.ts";
import type { Dialect, Program, Value } from "../driver.ts";
import type { HeartbeatRequest } from "../store.ts";
import { byBytes, encode, eventRowColumns, runRowColumns } from "./rows.ts";

/** More passes than this would mean that a lane changes its head faster than we can look. */
const mostPasses = 100;

/**
 * A run becomes its lane's head when the lane has none. Two runs that both see an empty lane meet at the unique
 * index; the one that lost is tried again and then sees the head. The share lock keeps a head from settling between
 * our look and our commit, which would strand the run for ever. `runs` are of `toRunRow`.
 */
export function* insertRuns(
  dialect: Dialect,
  input: { runs: readonly (readonly Value[])[]; now: number },
): Program<void> {
  const sql = `insert into run(id, kind, hook, agent_id, requested_agent_id, session_key, lane, head, status, created_at, ready_at, request)
    select item.id, item.kind, item.hook, item.agent, item.requested, item.session, item.lane,
      case when exists(select 1 from run where lane = item.lane and head = 1 ${dialect.forShare}) then 0 else 1 end,
      'queued', cast($1 as bigint), cast($1 as bigint), item.request
    from ${dialect.rows(runRowColumns, 1)} where true
    on conflict (lane) where head = 1 do nothing ${dialect.concurrent ? "returning id" : ""}`;
  // By lane, so that two groups on two nodes never wait for each other's heads in opposite order.
  let items = dialect.concurrent ? byBytes(input.runs, (run) => String(run[laneAt])) : input.runs;
  for (let pass = 0; items.length > 0; pass++) {
    if (pass === mostPasses) throw new Error("a lane's head never settled");
    const stored = yield { sql, values: [input.now], rows: { columns: runRowColumns, items } };
    // A single writer that goes row by row sees every head there is: none of its runs can lose.
    if (!dialect.concurrent) return;
    const ids = new Set(stored.map((row) => row["id"]));
    items = items.filter(([id]) => !ids.has(id));
  }
}

const laneAt = runRowColumns.indexOf("lane");
const laneColumn = ["lane"] as const;

/** The oldest waiting run of each lane becomes its head. Locked, so that it cannot be cancelled while it is promoted. */
export function* promoteRuns(dialect: Dialect, lanes: readonly string[]): Program<void> {
  yield {
    sql: `with next as materialized (select (
        select seq from run where run.lane = item.lane and head = 0 and status = 'queued' order by seq limit 1 ${dialect.forUpdate}
      ) as next_seq from ${dialect.rows(laneColumn, 0)})
      update run set head = 1 from next where run.seq = next.next_seq`,
    values: [],
    rows: { columns: laneColumn, items: lanes.map((lane) => [lane]) },
  };
}

/** `events` are of `toEventRow`. */
export function* insertEvents(
  dialect: Dialect,
  input: { events: readonly (readonly Value[])[]; now: number },
): Program<void> {
  yield {
    sql: `insert into event(id, session_key, source, hook, run_id, text, created_at)
      select item.id, item.session, item.source, item.hook, item.run, item.text, cast($1 as bigint)
      from ${dialect.rows(eventRowColumns, 1)}`,
    values: [input.now],
    rows: { columns: eventRowColumns, items: input.events },
  };
}

/** One event of our own making; with `runId` it is that run's summary, of which there can be only one. */
export function* insertEvent(event: NewEvent, runId: string | null, now: number): Program<void> {
  yield {
    sql: "insert into event(id, session_key, source, hook, run_id, text, created_at) values ($1, $2, $3, $4, $5, $6, $7)",
    values: [event.id, event.sessionKey, event.source, event.hook, runId, encode(event.text), now],
  };
}

const heartbeatDetail: RunRequest = {
  message: [],
  unsafe: false,
  name: null,
  wakeMode: "now",
  deliver: true,
  channel: "last",
  to: null,
  fallback: null,
  model: null,
  thinking: null,
  timeoutSeconds: null,
  tools: "agent",
  trace: null,
};

/**
 * Asks for a heartbeat unless one waits that has not begun. The waiting one is locked until we commit: claimed
 * earlier, it could read its events before ours is there, and ours would go unseen.
 */
export function* requestHeartbeat(
  dialect: Dialect,
  input: HeartbeatRequest & { now: number },
): Program<void> {
  const waiting = `select 1 from run where kind = 'heartbeat' and status = 'queued' and started_at is null ${dialect.forShare}`;
  for (let pass = 0; pass < mostPasses; pass++) {
    const found = yield { sql: waiting, values: [] };
    if (found.length > 0) return;
    const stored = yield {
      sql: `insert into run(id, kind, hook, agent_id, session_key, lane, head, status, created_at, ready_at, request)
        select $1, 'heartbeat', 'heartbeat', $2, '${mainSessionKey}', '${heartbeatLane}',
          case when exists(select 1 from run where lane = '${heartbeatLane}' and head = 1 ${dialect.forShare}) then 0 else 1 end,
          'queued', cast($3 as bigint), cast($4 as bigint), $5
        where true on conflict do nothing returning id`,
      values: [newId(), input.agentId, input.now, input.now + input.delayMs, encode(heartbeatDetail)],
    };
    if (stored.length > 0) return;
  }
  throw new Error("the main lane's head never settled");
}
