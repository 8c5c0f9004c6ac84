// Counts of everything unfinished. Each reads only a partial index, whose size does not depend on finished rows.
import type { Dialect } from "../driver/dialect.ts";
import type { Program } from "../driver/program.ts";
import type { Backlog } from "../../core/backlog.ts";

export function* backlog(_dialect: Dialect, { now }: { now: number }): Program<Backlog> {
  const unfinished = yield* countUnfinished();
  const taken = yield {
    sql: "select status, count(*) as count from run where status in ('running', 'parked') group by status",
    values: [],
  };
  const countOf = (status: string): number =>
    Number(taken.find((row) => row["status"] === status)?.["count"] ?? 0);
  const running = countOf("running");
  const parked = countOf("parked");
  const [oldest] = yield {
    sql: "select ready_at from run where head > 0 and kind = 'hook' and ready_at <= $1 order by ready_at limit 1",
    values: [now],
  };
  const [events] = yield { sql: "select count(*) as count from event where shown_at is null", values: [] };
  const channels = yield {
    sql: `select channel, count(*) as count, min(waiting_since) as oldest_at from delivery
      where status = 'waiting' group by channel`,
    values: [],
  };
  return {
    // The counts are not taken in the same moment.
    queued: Math.max(0, unfinished - running - parked),
    running,
    parked,
    oldestMs: oldest ? now - Number(oldest["ready_at"]) : null,
    events: Number(events?.["count"]),
    deliveries: channels.map((row) => ({
      channel: String(row["channel"]),
      waiting: Number(row["count"]),
      oldestMs: Math.max(0, now - Number(row["oldest_at"] ?? now)),
    })),
  };
}

/** Heads and waiting runs each have a partial index of their own. */
function* countUnfinished(): Program<number> {
  const [heads] = yield {
    sql: "select count(*) as count from run where head > 0 and kind in ('hook', 'heartbeat')",
    values: [],
  };
  const [waiting] = yield {
    sql: "select count(*) as count from run where head = 0 and status = 'queued'",
    values: [],
  };
  return Number(heads?.["count"]) + Number(waiting?.["count"]);
}

/** Unfinished runs that are not running. Parked ones count too: they fill the queue. */
export function* countWaiting(_dialect: Dialect, _input: null): Program<number> {
  const unfinished = yield* countUnfinished();
  // The condition of the partial index, so that it is used.
  const [running] = yield {
    sql: "select count(*) as count from run where status in ('running', 'parked') and status = 'running'",
    values: [],
  };
  // The counts are not taken in the same moment.
  return Math.max(0, unfinished - Number(running?.["count"]));
}
