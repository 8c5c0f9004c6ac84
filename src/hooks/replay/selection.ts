// Which kept requests are meant: those that came in a time, oldest first, without replays and without those that only
// repeated another one. Those of which a replay has been accepted are told apart.
import { type RequestOutcome, type RequestRecord, requestOutcomes } from "../../core/request.ts";
import type { RunStatus } from "../../core/run.ts";
import type { Found } from "../../store/ports/search.ts";
import type { Store } from "../../store/ports/store.ts";

export type Selection = {
  hooks: readonly string[];
  /** Stored at or after, and before, these times. */
  since: number;
  until: number;
  outcomes: readonly RequestOutcome[];
  /** Of a run that it led to. */
  statuses: readonly RunStatus[];
  /** At most so many, the oldest; null: all. */
  limit: number | null;
};

export type SelectStore = Pick<Store, "findReplays" | "searchRequests">;

const pageRequests = 500;
const original: readonly RequestOutcome[] = requestOutcomes.filter((outcome) => outcome !== "repeated");

export type Selected = Pick<RequestRecord, "id" | "hook">;

/** Oldest first. What comes meanwhile is not among them. */
export async function selectRequests(
  store: Pick<SelectStore, "searchRequests">,
  { hooks, since, until, outcomes, statuses, limit }: Selection,
): Promise<Selected[]> {
  const search = {
    since,
    until,
    limit: pageRequests,
    outcomes: outcomes.length > 0 ? outcomes : original,
    ...(hooks.length > 0 && { hooks }),
    ...(statuses.length > 0 && { statuses }),
  };
  /** By the id. A search by the status of runs finds a request once for each of them. */
  const found = new Map<string, Pick<RequestRecord, "hook" | "seq">>();
  for (let before: number | null = null, isFirst = true; isFirst || before !== null; isFirst = false) {
    const page: Found<RequestRecord> = await store.searchRequests({ ...search, before });
    for (const { id, hook, seq, origin } of page.items) if (origin !== "replay") found.set(id, { hook, seq });
    before = page.next;
  }
  const oldestFirst = [...found].toSorted(([, one], [, other]) => one.seq - other.seq);
  return oldestFirst.slice(0, limit ?? undefined).map(([id, { hook }]) => ({ id, hook }));
}

/** Those of the requests of which a replay, or a replay of one, has been accepted. */
export async function alreadyAccepted(
  store: Pick<SelectStore, "findReplays">,
  ids: readonly string[],
): Promise<Set<string>> {
  const accepted = new Set<string>();
  /** From a replay to the request that is asked about. */
  let roots = new Map(ids.map((id) => [id, id]));
  while (roots.size > 0) {
    const next = new Map<string, string>();
    for (const { id, replayOf, outcome } of await store.findReplays([...roots.keys()])) {
      const root = roots.get(replayOf)!;
      if (outcome === "accepted") accepted.add(root);
      else next.set(id, root);
    }
    roots = next;
  }
  return accepted;
}
