// What replaying many requests would lead to, before any is: each of the first is decided without storing anything.
// Transforms are not run for that, because they may act; of those requests the plan says what such runs have been.
import { runStatuses } from "../../core/run.ts";
import { collectFound } from "../../store/create/searches.ts";
import type { Store } from "../../store/ports/store.ts";
import type { HookSettings } from "../settings.ts";
import { decideKept, type Decided } from "./decided.ts";
import type { CannotReplay } from "./request.ts";
import {
  alreadyAccepted,
  type Selected,
  type Selection,
  selectRequests,
  type SelectStore,
} from "./selection.ts";

export type PlanStore = SelectStore & Pick<Store, "findRequest" | "requestBody" | "searchRuns">;

export type PlanDeps = {
  store: PlanStore;
  settings: HookSettings;
  now: number;
};

export type PlanOptions = {
  /** Also those of which a replay has been accepted. */
  again: boolean;
};

export type Usage = { readonly inputTokens: number; readonly outputTokens: number; readonly cost: number };

export type ReplayPlan = {
  /** What would be replayed, oldest first. */
  ids: string[];
  /** Left out: a replay of it has been accepted. */
  replayedBefore: number;
  /** Left out: why, and how many. */
  cannot: Record<string, number>;
  hooks: Record<string, number>;
  /** Of those that were decided: what would come of them, by outcome, and how many runs on which agents. */
  outcomes: Record<string, number>;
  agents: Record<string, number>;
  runs: number;
  /** Not decided: its mapping has a transform, or it is behind the first `mostDecided`. */
  undecided: number;
  /** The agents of past runs of the hooks of those that were not decided. */
  pastAgents: string[];
  /** From the mean of what past runs of the same hooks used; a request that was not decided counts as one run. */
  estimate: Usage & { basedOnRuns: number };
};

export const mostDecided = 1000;
const mostPastRuns = 100;
const batchIds = 500;

export async function planReplay(
  selection: Selection,
  deps: PlanDeps,
  { again }: PlanOptions,
): Promise<ReplayPlan> {
  const all = await selectRequests(deps.store, { ...selection, limit: null });
  const left = again ? all : await withoutAccepted(deps.store, all);
  const draft = emptyDraft();
  for (const each of left) {
    if (draft.ids.length === selection.limit) break;
    await add(draft, each, deps);
  }
  const { cannot, hooks, outcomes, agents, expectedRuns: _, ...plan } = draft;
  return {
    ...plan,
    replayedBefore: all.length - left.length,
    cannot: Object.fromEntries(cannot),
    hooks: Object.fromEntries(hooks),
    outcomes: Object.fromEntries(outcomes),
    agents: Object.fromEntries(agents),
    ...(await pastOf(draft, deps)),
  };
}

const emptyDraft = () => ({
  ids: [] as string[],
  cannot: new Map<string, number>(),
  hooks: new Map<string, number>(),
  outcomes: new Map<string, number>(),
  agents: new Map<string, number>(),
  /** Of each hook. */
  expectedRuns: new Map<string, number>(),
  runs: 0,
  undecided: 0,
});

type Draft = ReturnType<typeof emptyDraft>;

async function withoutAccepted(store: SelectStore, all: readonly Selected[]): Promise<Selected[]> {
  const left: Selected[] = [];
  for (let at = 0; at < all.length; at += batchIds) {
    const batch = all.slice(at, at + batchIds);
    const accepted = await alreadyAccepted(
      store,
      batch.map(({ id }) => id),
    );
    for (const each of batch) if (!accepted.has(each.id)) left.push(each);
  }
  return left;
}

async function add(draft: Draft, { id, hook }: Selected, deps: PlanDeps): Promise<void> {
  const decided = draft.ids.length < mostDecided ? await decideOne(id, deps) : undecided;
  if (decided === null) return;
  if ("cannot" in decided) return count(draft.cannot, decided.reason);
  draft.ids.push(id);
  count(draft.hooks, hook);
  if (decided.outcome !== "not-run") {
    count(draft.expectedRuns, hook, addDecided(draft, decided));
  } else {
    draft.undecided++;
    count(draft.expectedRuns, hook);
  }
}

const undecided: Decided = { outcome: "not-run", reason: null, mapping: null, actions: [] };

/** Null: it was removed meanwhile. */
async function decideOne(id: string, deps: PlanDeps): Promise<Decided | CannotReplay | null> {
  const record = await deps.store.findRequest(id);
  if (record === null) return null;
  const body = record.hasBody ? await deps.store.requestBody(id) : null;
  return decideKept({ record, body }, { ...deps, transforms: false });
}

/** Returns how many runs it would lead to. */
function addDecided(draft: Draft, { outcome, actions }: Decided): number {
  count(draft.outcomes, outcome);
  const agents = actions.flatMap((action) => (action.action === "agent" ? [action.agentId] : []));
  for (const agent of agents) count(draft.agents, agent);
  draft.runs += agents.length;
  return agents.length;
}

const count = (counts: Map<string, number>, name: string, by = 1): void =>
  void counts.set(name, (counts.get(name) ?? 0) + by);

const ended = runStatuses.filter((status) => !["queued", "parked", "running"].includes(status));

async function pastOf(
  { expectedRuns, undecided }: Draft,
  { store }: PlanDeps,
): Promise<Pick<ReplayPlan, "pastAgents" | "estimate">> {
  const estimate = { inputTokens: 0, outputTokens: 0, cost: 0, basedOnRuns: 0 };
  const agents = new Set<string>();
  for (const [hook, runs] of expectedRuns) {
    const search = { hooks: [hook], kinds: ["hook"], statuses: ended };
    const items = await collectFound(mostPastRuns, (page: { limit: number; before: number | null }) =>
      store.searchRuns({ ...search, ...page }),
    );
    if (items.length === 0) continue;
    const mean = (of: (report: Usage) => number): number =>
      items.reduce((sum, { report }) => sum + (report === null ? 0 : of(report)), 0) / items.length;
    estimate.inputTokens += Math.round(runs * mean(({ inputTokens }) => inputTokens));
    estimate.outputTokens += Math.round(runs * mean(({ outputTokens }) => outputTokens));
    estimate.cost += runs * mean(({ cost }) => cost);
    estimate.basedOnRuns += items.length;
    for (const { agentId } of items) agents.add(agentId);
  }
  return { estimate, pastAgents: undecided > 0 ? [...agents].toSorted() : [] };
}
