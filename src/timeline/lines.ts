// What became of the runs of a request, for a row of a list: without any text but the reason, and read in three
// statements for a whole page.
import type { AttemptRecord } from "../core/attempt-record.ts";
import type { Delivery } from "../core/delivery.ts";
import type { RequestRecord } from "../core/request.ts";
import type { Run } from "../core/run.ts";
import type { Store } from "../store/ports/store.ts";
import { spanResource } from "./resource.ts";
import { endOf, spansOf } from "./spans.ts";

/** More runs of one request are counted and not read. */
export const mostLines = 10;

export type LinesStore = Pick<Store, "findRuns" | "attemptsOf" | "deliveriesOf" | "databaseTime">;

export type RunLine = ReturnType<typeof lineOf>;

/** The lines of each request, in the order of its runs. */
export async function linesOf(
  store: LinesStore,
  requests: readonly Pick<RequestRecord, "id" | "runIds">[],
): Promise<ReadonlyMap<string, readonly RunLine[]>> {
  const ids = requests.flatMap(({ runIds }) => runIds.slice(0, mostLines));
  const [runs, attempts, deliveries, now] = await Promise.all([
    store.findRuns(ids),
    store.attemptsOf(ids),
    store.deliveriesOf(ids),
    store.databaseTime(),
  ]);
  const byId = new Map(runs.map((run) => [run.id, run]));
  const attemptsBy = Map.groupBy(attempts, ({ runId }) => runId);
  const deliveriesBy = Map.groupBy(deliveries, ({ runId }) => runId);
  const line = (run: Run) =>
    lineOf({ run, attempts: attemptsBy.get(run.id) ?? [], deliveries: deliveriesBy.get(run.id) ?? [] }, now);
  return new Map(
    requests.map(({ id, runIds }) => [
      id,
      runIds.slice(0, mostLines).flatMap((runId) => {
        const run = byId.get(runId);
        return run ? [line(run)] : [];
      }),
    ]),
  );
}

type LineFacts = { run: Run; attempts: readonly AttemptRecord[]; deliveries: readonly Delivery[] };

const time = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

export function lineOf({ run, attempts, deliveries }: LineFacts, now: number) {
  const facts = { run, attempts, deliveries, behind: null, prompt: null, summary: null, retry: null };
  const end = endOf(facts);
  return {
    id: run.id,
    name: run.request.name,
    agentId: run.agentId,
    sessionKey: run.sessionKey,
    status: run.status,
    attempts: run.attempts,
    error: run.error,
    cost: run.report?.cost ?? null,
    createdAt: time(run.createdAt),
    endedAt: time(run.endedAt),
    nextTryAt: time(run.nextTryAt),
    tookMs: Math.max(0, (end ?? now) - run.createdAt),
    deliveries: deliveries.map(({ channel, status }) => ({ channel, status })),
    spans: spansOf(facts, now).map(spanResource),
  };
}
