// Which kept requests another configuration would decide otherwise: by another mapping, with another outcome, for another
// agent, session key or channel. Both configurations decide anew, at the time at which the request came; nothing is
// stored.
import type { RequestRecord } from "../../core/request.ts";
import type { Store } from "../../store/ports/store.ts";
import type { HookSettings } from "../settings.ts";
import { decideKept, type Decided } from "./decided.ts";
import type { CannotReplay } from "./request.ts";
import { type Selection, selectRequests, type SelectStore } from "./selection.ts";

export type CompareDeps = {
  store: Pick<SelectStore, "searchRequests"> & Pick<Store, "findRequest" | "requestBody">;
  present: HookSettings;
  candidate: HookSettings;
  /** Run transforms, which may act. */
  transforms: boolean;
};

export const comparedFields = ["mapping", "outcome", "agents", "sessionKeys", "channels"] as const;
export type ComparedField = (typeof comparedFields)[number];

export type ComparedDecision = {
  readonly mapping: string | null;
  readonly outcome: Decided["outcome"] | "not-replayable";
  readonly reason: string | null;
  readonly agents: readonly string[];
  readonly sessionKeys: readonly string[];
  readonly channels: readonly string[];
};

export type Difference = {
  readonly request: Pick<RequestRecord, "id" | "hook" | "createdAt">;
  readonly fields: readonly ComparedField[];
  readonly present: ComparedDecision;
  readonly candidate: ComparedDecision;
};

export type Compared = {
  /** Decided by both. */
  compared: number;
  /** Of those: only their mapping is compared, because it has a transform, which was not run. */
  mappingOnly: number;
  different: number;
  /** Not compared: why, and how many. */
  cannot: Record<string, number>;
};

/** Each difference is told as it is found, oldest first. */
export async function compareRequests(
  selection: Selection,
  deps: CompareDeps,
  onDifference: (difference: Difference) => void,
): Promise<Compared> {
  const cannot = new Map<string, number>();
  let [compared, mappingOnly, different] = [0, 0, 0];
  for (const { id } of await selectRequests(deps.store, selection)) {
    const record = await deps.store.findRequest(id);
    if (record === null) continue;
    const decisions = await decideBoth(record, deps);
    if ("cannot" in decisions) {
      cannot.set(decisions.reason, (cannot.get(decisions.reason) ?? 0) + 1);
      continue;
    }
    compared++;
    const { present, candidate } = decisions;
    if (present.outcome === "not-run" || candidate.outcome === "not-run") mappingOnly++;
    const fields = differing(present, candidate);
    if (fields.length === 0) continue;
    different++;
    const { hook, createdAt } = record;
    onDifference({ request: { id, hook, createdAt }, fields, present, candidate });
  }
  return { compared, mappingOnly, different, cannot: Object.fromEntries(cannot) };
}

type Decisions = { present: ComparedDecision; candidate: ComparedDecision };

/** What neither can replay is not compared; what only one can is a difference. */
async function decideBoth(
  record: RequestRecord,
  { store, present, candidate, transforms }: CompareDeps,
): Promise<Decisions | CannotReplay> {
  const body = record.hasBody ? await store.requestBody(record.id) : null;
  const by = (settings: HookSettings) =>
    decideKept({ record, body }, { settings, transforms, now: record.createdAt });
  const first = await by(present);
  const other = await by(candidate);
  if ("cannot" in first && "cannot" in other) return first;
  return { present: summaryOf(first), candidate: summaryOf(other) };
}

function summaryOf(decided: Decided | CannotReplay): ComparedDecision {
  if ("cannot" in decided) {
    const nothing = { mapping: null, agents: [], sessionKeys: [], channels: [] };
    return { ...nothing, outcome: "not-replayable", reason: decided.reason };
  }
  const { mapping, outcome, reason, actions } = decided;
  const runs = actions.filter((action) => action.action === "agent");
  return {
    mapping,
    outcome,
    reason,
    agents: runs.map(({ agentId }) => agentId),
    sessionKeys: runs.map(({ sessionKey }) => sessionKey),
    channels: runs.map(({ channel }) => channel),
  };
}

function differing(present: ComparedDecision, candidate: ComparedDecision): ComparedField[] {
  const isKnown = present.outcome !== "not-run" && candidate.outcome !== "not-run";
  const compared = isKnown ? comparedFields : (["mapping"] as const);
  return compared.filter((field) => JSON.stringify(present[field]) !== JSON.stringify(candidate[field]));
}
