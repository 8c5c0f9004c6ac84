// The results that were sent: each run with a callback has one, which arrives with the run's own end, or has honestly
// failed. A result may come twice, under the same id.
import { callbackOfChannel, webhookIdOf } from "../../src/core/callback.ts";
import type { Histories } from "./history.ts";

export function lostResults({ runs, deliveries, results }: Histories): string[] {
  const byRun = Map.groupBy(
    deliveries.filter(({ channel }) => callbackOfChannel(channel) !== null),
    ({ runId }) => runId,
  );
  const arrived = new Set(results.map(({ webhookId }) => webhookId));
  return runs.flatMap(({ id, status, endedAt, request: { callback } }) => {
    const sent = byRun.get(id) ?? [];
    const [only] = sent;
    if (callback === null)
      return sent.length === 0 ? [] : [`the run ${id} has a result that nobody asked for`];
    if (endedAt === null || only === undefined)
      return [`the run ${id} is ${status}, and its result is not stored`];
    if (sent.length > 1) return [`the run ${id} has ${sent.length} results`];
    if (only.status !== "sent") return [`the result of ${id} is ${only.status} (${only.error})`];
    return arrived.has(webhookIdOf(id)) ? [] : [`the result of ${id} is stored as sent, and never arrived`];
  });
}

export function wrongResults({ runs, results }: Histories): string[] {
  const byId = new Map(runs.map((run) => [webhookIdOf(run.id), run]));
  return results.flatMap(({ webhookId, isSigned, status, reply }) => {
    const run = byId.get(webhookId);
    return [
      ...(run?.request.callback == null ? [`the result ${webhookId} is of no run that has one`] : []),
      ...(isSigned ? [] : [`the result ${webhookId} is not signed`]),
      ...(run && (status !== run.status || reply !== run.reply)
        ? [`the result ${webhookId} says ${status}, and the run is ${run.status}`]
        : []),
    ];
  });
}
