// Makes new runs of all that failed or timed out within a time. First a plan, then short transactions of a few runs
// each. A run that was retried says so, so that this can be repeated after it was stopped in the middle, and two at once
// retry each run once.
import { newId } from "../../core/id.ts";
import type { FailedRun, FailedRuns } from "../../core/run.ts";
import type { Store } from "../../store/ports/store.ts";

/** How many runs are queued in one transaction: others wait for it. */
const stepRuns = 100;
const pageRuns = 1000;

export type FailedStore = Pick<Store, "listFailedRuns" | "repeatFailedRuns">;

/** By the clock of the store. */
export type Selection = { runs: FailedRuns; limit: number };
export type RetryPlan = {
  count: number;
  hooks: Map<string, number>;
  agents: Map<string, number>;
  acted: number;
};
export type Retried = {
  queued: { id: string; retryOf: string; status: "queued" }[];
  unreadable: { id: string; reason: string }[];
};

/** Pages of what is selected, in the order in which the runs ended. What fails meanwhile is not among it. */
async function* pagesOf(
  store: FailedStore,
  { runs, limit }: Selection,
  size: number,
): AsyncGenerator<FailedRun[]> {
  let after: FailedRun | null = null;
  for (let left = limit; left > 0;) {
    const wanted = Math.min(size, left);
    const page: FailedRun[] = await store.listFailedRuns({ ...runs, limit: wanted, after });
    if (page.length > 0) yield page;
    if (page.length < wanted) return;
    after = page.at(-1)!;
    left -= page.length;
  }
}

export async function planRetries(store: FailedStore, selection: Selection): Promise<RetryPlan> {
  const plan: RetryPlan = { count: 0, hooks: new Map(), agents: new Map(), acted: 0 };
  const add = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  for await (const page of pagesOf(store, selection, pageRuns))
    for (const { hook, agentId, acted } of page) {
      plan.count++;
      if (acted) plan.acted++;
      add(plan.hooks, hook);
      add(plan.agents, agentId);
    }
  return plan;
}

/** `onStep` hears how many are queued. */
export async function retryAll(
  store: FailedStore,
  selection: Selection,
  onStep: (queued: number) => void = () => {},
): Promise<Retried> {
  const retried: Retried = { queued: [], unreadable: [] };
  for await (const page of pagesOf(store, selection, stepRuns)) {
    const step = await store.repeatFailedRuns(page.map(({ id }) => ({ id, newId: newId() })));
    for (const { id, newId: copy } of step.queued)
      retried.queued.push({ id: copy, retryOf: id, status: "queued" });
    for (const each of step.unreadable) retried.unreadable.push(each);
    onStep(retried.queued.length);
  }
  return retried;
}

export const byCount = (counts: ReadonlyMap<string, number>): [string, number][] =>
  [...counts].toSorted(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));

/** `retried` null: it was only a plan. */
export const retryResource = (plan: RetryPlan, runs: FailedRuns, retried: Retried | null) => ({
  since: new Date(runs.endedFrom).toISOString(),
  until: new Date(runs.endedUntil).toISOString(),
  count: plan.count,
  hooks: Object.fromEntries(byCount(plan.hooks)),
  agents: Object.fromEntries(byCount(plan.agents)),
  acted: plan.acted,
  ...(retried && { retried: retried.queued }),
});
