// The periodic heartbeat, settings, and records of requests.
import type { Target } from "../../core/target.ts";
import type { Dialect } from "../driver/dialect.ts";
import type { Program } from "../driver/program.ts";
import type { HeartbeatRequest } from "../../core/system-event.ts";
import { requestHeartbeat } from "./heartbeats.ts";
import { encode } from "./rows.ts";
import { jsonIn, readEach } from "./shapes.ts";
import * as shapes from "./shapes.ts";

const heartbeatDue = "heartbeat-due";
const lastTargetName = "last-target";
/** Its value is when the store was last probed. */
export const probeName = "probe";
const identityName = "identity";

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
    sql: `update setting set value = $2 where name = $1 and ${dialect.wholeOf("value")} <= cast($3 as bigint) returning value`,
    values: [heartbeatDue, next, now],
  };
  if (moved.length > 0) yield* requestHeartbeat(dialect, { ...request, now });
  // A shorter period takes effect at once.
  yield {
    sql: `update setting set value = $2 where name = $1 and ${dialect.wholeOf("value")} > cast($3 as bigint)`,
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

/** None where it cannot be read; then `reason` says why. */
export function* lastTarget(
  _dialect: Dialect,
  _input: null,
): Program<{ target: Target | null; reason: string | null }> {
  const rows = yield { sql: "select value from setting where name = $1", values: [lastTargetName] };
  const read = readEach(rows, (row) => jsonIn(row, "value", shapes.target, "use") as Target | null);
  return { target: read.items[0] ?? null, reason: read.unreadable[0]?.reason ?? null };
}

export function* setLastTarget(_dialect: Dialect, input: { target: Target | null }): Program<void> {
  yield* putSetting(lastTargetName, encode(input.target));
}

export function* identity(_dialect: Dialect, { fresh }: { fresh: string }): Program<string> {
  yield {
    sql: "insert into setting(name, value) values ($1, $2) on conflict (name) do nothing",
    values: [identityName, fresh],
  };
  const [row] = yield { sql: "select value from setting where name = $1", values: [identityName] };
  return String(row?.["value"]);
}

export function* probe(_dialect: Dialect, input: { now: number }): Program<void> {
  yield* putSetting(probeName, String(input.now));
}

export function* databaseTime({ time }: Dialect, _input: null): Program<number> {
  const [row] = yield { sql: `select ${time} as time`, values: [] };
  return Number(row?.["time"]);
}
