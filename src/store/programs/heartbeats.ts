// Requests heartbeats of the main session. At most one is queued that has not started.
import type { RunRequest } from "../../core/action.ts";
import { newId } from "../../core/id.ts";
import { mainSessionKey } from "../../core/run.ts";
import type { HeartbeatRequest } from "../../core/system-event.ts";
import type { Dialect } from "../driver/dialect.ts";
import type { Program, Value } from "../driver/program.ts";
import { headOf, mostPasses } from "./enqueue.ts";
import { insertEventsFrom } from "./events.ts";
import { isNotPaused } from "./paused.ts";
import { insertRequestsFrom, requestRowColumns, type RequestRows, withRequests } from "./requests.ts";
import { encode, eventRowColumns, heartbeatLane } from "./rows.ts";

const heartbeatDetail: RunRequest = {
  message: [],
  origin: "request",
  budget: null,
  unsafe: false,
  name: null,
  wakeMode: "now",
  deliver: true,
  channel: "last",
  to: null,
  fallback: null,
  deliverFailures: false,
  model: null,
  thinking: null,
  timeoutSeconds: null,
  tools: "agent",
  trace: null,
  credential: null,
  results: "none",
  callback: null,
};

const waitingHeartbeat = (dialect: Dialect): string =>
  `select 1 from run where kind = 'heartbeat' and status = 'queued' and started_at is null ${dialect.forShare}`;

/** Takes the values of `heartbeatValues`, of which the first is the time. */
const insertHeartbeat = (dialect: Dialect, condition: string): string => {
  const now = dialect.timeOf("$1");
  return `insert into run(id, kind, hook, agent_id, session_key, lane, head, status, created_at, ready_at, request)
        select $2, 'heartbeat', 'heartbeat', $3, '${mainSessionKey}', '${heartbeatLane}',
          ${headOf(dialect, `'${heartbeatLane}'`)},
          'queued', ${now}, ${now} + cast($4 as bigint), $5
        where ${condition} on conflict do nothing returning id`;
};

const heartbeatValues = ({ agentId, delayMs }: HeartbeatRequest, now: number | null): Value[] => [
  now,
  newId(),
  agentId,
  delayMs,
  encode(heartbeatDetail),
];

/**
 * Requests a heartbeat unless one is queued that has not started. That one is locked until we commit: if it were claimed
 * earlier, it would read its events without ours.
 */
export function* requestHeartbeat(
  dialect: Dialect,
  input: HeartbeatRequest & { now: number },
): Program<void> {
  for (let pass = 0; pass < mostPasses; pass++) {
    const found = yield { sql: waitingHeartbeat(dialect), values: [] };
    if (found.length > 0) return;
    const stored = yield {
      sql: insertHeartbeat(dialect, "true"),
      values: heartbeatValues(input, input.now),
    };
    if (stored.length > 0) return;
  }
  throw new Error("the main lane's head never settled");
}

const columns = [...eventRowColumns, ...requestRowColumns] as const;

const insertWithRequestsSql = (dialect: Dialect): string => {
  const now = dialect.timeOf("$1");
  return `with incoming as materialized (select item.* from ${dialect.rows(columns, 1)}),
      kept as (${insertRequestsFrom("incoming", "true", now)})
      ${insertEventsFrom("incoming", "true", now)} returning 1 as stored`;
};

const insertWithHeartbeatSql = (dialect: Dialect): string => {
  const now = dialect.timeOf("$1");
  const isRequested =
    "(exists(select 1 from waiting) or exists(select 1 from requested) or not exists(select 1 from asking))";
  const isMissing = "exists(select 1 from asking) and not exists(select 1 from waiting)";
  return `with waiting as materialized (${waitingHeartbeat(dialect)}),
      asking as materialized (
        select 1 from json_array_elements_text(cast($6 as json)) as asks(hook) where ${isNotPaused("asks.hook")}),
      requested as (${insertHeartbeat(dialect, isMissing)}),
      incoming as materialized (select item.* from ${dialect.rows(columns, 6)}),
      kept as (${insertRequestsFrom("incoming", isRequested, now)})
      ${insertEventsFrom("incoming", isRequested, now)} returning 1 as stored`;
};

/**
 * Events, their requests and the heartbeat that is to read them, in a single statement. Stores nothing and returns false
 * when another transaction has just stored a heartbeat.
 */
export function* insertEventsOnce(
  dialect: Dialect,
  {
    events,
    requests,
    heartbeat,
    asking,
    now,
  }: {
    events: readonly (readonly Value[])[];
    requests: RequestRows;
    heartbeat: HeartbeatRequest | null;
    /** The hooks that ask for it. */
    asking: readonly string[];
    now: number | null;
  },
): Program<boolean> {
  const stored = yield {
    sql: heartbeat === null ? insertWithRequestsSql(dialect) : insertWithHeartbeatSql(dialect),
    values: heartbeat === null ? [now] : [...heartbeatValues(heartbeat, now), JSON.stringify(asking)],
    rows: { columns, items: withRequests(events, requests) },
  };
  return stored.length > 0;
}
