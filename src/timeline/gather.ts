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
  | "findEvent"
  | "findSummary"
  | "listTurns"
  | "listDeliveries"
  | "listAttempts"
  | "runBehind"
  | "listReplays"
  | "sameReason"
>;

/** Of a request with all that it led to. */
export async function requestFacts(store: FactsStore, request: RequestRecord): Promise<TimelineFacts> {
  const ownRuns = request.outcome === "repeated" ? [] : request.runIds.slice(0, mostRuns);
  const ownEvents = request.outcome === "repeated" ? [] : request.eventIds.slice(0, mostEvents);
  const [runs, events, replays, others] = await Promise.all([
    Promise.all(ownRuns.map((id) => store.findRun(id))),
    Promise.all(ownEvents.map((id) => store.findEvent(id))),
    store.listReplays(request.id),
    request.outcome === "refused" ? countOthers(store, request) : 0,
  ]);
  return {
    request,
    runs: await Promise.all(present(runs).map((run) => runFacts(store, run))),
    events: present(events),
    replays,
    others,
  };
}

async function countOthers(store: FactsStore, { id, hook, outcome, reason }: RequestRecord): Promise<number> {
  return (await store.sameReason({ hook, outcome, reason, besides: id })).count;
}

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
    run.isolated ? null : store.runBehind(run.id),
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

const present = <T>(items: readonly (T | null)[]): T[] => items.filter((item): item is T => item !== null);
