// Checks the waiting work, and the deliveries that failed lately.
import type { Clock } from "../../core/clock.ts";
import { unfinishedRuns } from "../../core/backlog.ts";
import type { Store } from "../../store/ports/store.ts";
import { type Finding, ok, warn } from "./finding.ts";

const mostCounted = 1000;
const dayMs = 24 * 3_600_000;

export async function checkWork(store: Store, clock: Clock): Promise<Finding> {
  const unfinished = unfinishedRuns(await store.backlog());
  const { count: waiting } = await store.countWaitingEvents();
  const { count: failed, isAll } = await countFailed(store, clock.now() - dayMs);
  const failedText = isAll ? String(failed) : `at least ${failed}`;
  const paused = (await store.pausedHooks()).map(({ hook }) => hook);
  const message = [
    `${unfinished} runs not finished`,
    ...(paused.length > 0 ? [`paused hooks: ${paused.join(", ")}`] : []),
    `${waiting} events waiting`,
    `${failedText} deliveries failed in the last 24 hours`,
  ].join(", ");
  if (failed > 0) return warn("waiting work", message, "See why: rouse deliveries --status failed");
  if (paused.length > 0)
    return warn("waiting work", message, "Let their runs go on with: rouse hooks resume NAME");
  return isAll
    ? ok("waiting work", message)
    : warn("waiting work", message, "See them all: rouse deliveries --since 1d --all");
}

/** Counts among the newest deliveries. `isAll` is false when older ones since then were not counted. */
async function countFailed(store: Store, since: number): Promise<{ count: number; isAll: boolean }> {
  const newest = await store.listDeliveries({ limit: mostCounted });
  const recent = newest.filter(({ createdAt }) => createdAt >= since);
  const count = recent.filter(({ status }) => status === "failed" || status === "unknown").length;
  return { count, isAll: recent.length < mostCounted };
}
