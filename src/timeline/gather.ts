// Reads what a timeline is made of: lookups of single rows and short lists, each by an index.
import type { RequestRecord } from "../core/request.ts";
import type { Run } from "../core/run.ts";
import type { TranscriptTurn } from "../core/transcript.ts";
import type { Store } from "../store/ports/store.ts";
import { parseFences } from "../untrusted/fence.ts";
import type { PromptFacts, RunFacts, TimelineFacts } from "./facts.ts";

/** More of one request are counted and not read. */
export const mostRuns = 50;
export const mostEvents = 50;

export type FactsStore = Pick<
  Store,
  | "findRequest"
  | "findRun"
  | "findRuns"
  | "findEvents"
  | "findSummary"
  | "listAttempts"
  | "listDeliveries"
  | "listReplays"
  | "listTurns"
  | "runBehind"
  | "sameReason"
  | "searchRuns"
>;

/** Of a request with all that it led to. */
export async function requestFacts(store: FactsStore, request: RequestRecord): Promise<TimelineFacts> {
  // A repeated one names what the first request led to.
  const { runIds, eventIds } = request.outcome === "repeated" ? nothing : request;
  const { id, hook, outcome, reason } = request;
  const [runs, events, replays, others] = await Promise.all([
    store.findRuns(runIds.slice(0, mostRuns)),
    store.findEvents(eventIds.slice(0, mostEvents)),
    store.listReplays(id),
    outcome === "refused" ? store.sameReason({ hook, outcome, reason, besides: id }) : null,
  ]);
  return {
    request,
    runs: await Promise.all(runs.map((run) => runFacts(store, run))),
    events,
    replays,
    others: others?.count ?? 0,
  };
}

const nothing = { runIds: [], eventIds: [] } as const;

/** Of one run, with the request that it came from. */
export async function factsOfRun(store: FactsStore, run: Run): Promise<TimelineFacts> {
  const [request, facts] = await Promise.all([
    run.requestId === null ? null : store.findRequest(run.requestId),
    runFacts(store, run),
  ]);
  return { request, runs: [facts], events: [], replays: [], others: 0 };
}

async function runFacts(store: FactsStore, run: Run): Promise<RunFacts> {
  const [attempts, behind, turns, summary, deliveries, retry] = await Promise.all([
    store.listAttempts(run.id),
    behindOf(store, run),
    store.listTurns({ runId: run.id }),
    run.endedAt === null ? null : store.findSummary(run.id),
    run.endedAt === null ? [] : store.listDeliveries({ limit: null, runId: run.id }),
    run.retriedAs === null ? null : store.findRun(run.retriedAs),
  ]);
  return {
    run,
    attempts,
    behind,
    prompt: promptFacts(turns),
    summary,
    deliveries: deliveries.toReversed(),
    retry,
  };
}

function promptFacts(turns: readonly TranscriptTurn[]): PromptFacts | null {
  const turn = turns.find(({ role }) => role === "user");
  if (!turn) return null;
  const texts = parseFences(turn.text).map(({ label, text }) => ({ label, characters: text.length }));
  return { at: turn.createdAt, characters: turn.text.length, texts };
}

const mostOfOneMoment = 20;

/** Of a run that waits, the head of its lane; of one that has waited, the run before it in its conversation. */
async function behindOf(store: FactsStore, run: Run): Promise<Run | null> {
  const { id, agentId, sessionKey, createdAt, startedAt, endedAt } = run;
  if (run.isolated) return null;
  if (startedAt === null && endedAt === null) return store.runBehind(id);
  if (startedAt === null || startedAt === createdAt) return null;
  // Those of one moment as well: one request can have several runs of a conversation.
  const { items } = await store.searchRuns({
    limit: mostOfOneMoment,
    before: null,
    until: createdAt + 1,
    agents: [agentId],
    sessions: [sessionKey],
  });
  const own = items.findIndex((each) => each.id === id);
  return items.slice(own + 1).find(({ isolated }) => !isolated) ?? null;
}
