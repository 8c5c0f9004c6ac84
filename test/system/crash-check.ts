// The judge of the crash test: compares the requests, the store and the agents' journal, and returns every fault.
import { plainText } from "../../src/core/message.ts";
import type { Run } from "../../src/core/run.ts";
import type { SystemEvent } from "../../src/core/system-event.ts";
import { parseFences } from "../../src/untrusted/fence.ts";
import type { Sent } from "./crash-load.ts";
import { type Note, overlaps } from "./lab.ts";

export type Evidence = {
  sent: readonly Sent[];
  /** Hook runs, oldest first. */
  runs: readonly Run[];
  events: readonly SystemEvent[];
  journal: readonly Note[];
  /** The prompts of heartbeats, by attempt. */
  prompts: ReadonlyMap<string, string>;
  maxAttempts: number;
};

export function faultsIn(evidence: Evidence): string[] {
  return [
    ...doubled(evidence),
    ...lostRequests(evidence),
    ...unequalAnswers(evidence),
    ...wrongEnds(evidence),
    ...wrongSummaries(evidence),
    ...overlaps(evidence.journal),
    ...wrongOrder(evidence),
    ...unseenEvents(evidence),
  ];
}

function doubled({ runs, events }: Evidence): string[] {
  const ids = [...runs, ...events].map(({ id }) => id);
  return ids.filter((id, at) => ids.indexOf(id) < at).map((id) => `the id ${id} is there twice`);
}

/** A request with a response is stored once; one without, at most once. */
function lostRequests({ sent, runs, events }: Evidence): string[] {
  const idsByMarker = Map.groupBy(
    [
      ...runs.map((run) => ({ id: run.id, text: run.request.message })),
      ...events.filter(({ source }) => source === "wake").map(({ id, text }) => ({ id, text })),
    ],
    ({ text }) => /marker-\d+-/.exec(plainText(text))?.[0] ?? "",
  );
  return sent.flatMap(({ marker, hook, key, responses }) => {
    const stored = (idsByMarker.get(marker) ?? []).map(({ id }) => id);
    const faults: string[] = [];
    if (key !== null && responses.length === 0) faults.push(`${marker} got no response`);
    if (stored.length > 1) faults.push(`${marker} is stored ${stored.length} times`);
    for (const { body } of responses) {
      const id = String(body[hook === "agent" ? "runId" : "eventId"]);
      if (!stored.includes(id)) faults.push(`${marker} got ${id}, which is not stored`);
    }
    return faults;
  });
}

function unequalAnswers({ sent }: Evidence): string[] {
  return sent.flatMap(({ marker, responses: [first, ...others] }) =>
    others.flatMap((other) => {
      const faults: string[] = [];
      if (!other.replayed) faults.push(`${marker} got a second response that is not marked as replayed`);
      if (other.status !== first?.status || JSON.stringify(other.body) !== JSON.stringify(first.body))
        faults.push(`${marker} got another response the second time`);
      return faults;
    }),
  );
}

const gaveUp = /^the gateway stopped during /;

function wrongEnds({ runs, journal, maxAttempts }: Evidence): string[] {
  const finished = new Set(journal.filter(({ kind }) => kind === "end").map(({ runId }) => runId));
  return runs.flatMap(({ id, status, attempts, error, reply, endedAt }) => {
    if (endedAt === null) return [`the run ${id} never ended: ${status}`];
    if (status === "failed" && gaveUp.test(error ?? ""))
      return attempts > maxAttempts ? [] : [`the run ${id} was given up after ${attempts} attempts`];
    if (status !== "succeeded") return [`the run ${id} ended as ${status}: ${error}`];
    if (attempts > maxAttempts) return [`the run ${id} took ${attempts} attempts`];
    if (!finished.has(id)) return [`the run ${id} succeeded, but its agent never finished`];
    return reply === `done ${id}` ? [] : [`the run ${id} has the wrong reply`];
  });
}

/** Each run has one summary, which has its marker in its name. */
function wrongSummaries({ runs, events }: Evidence): string[] {
  const counts = new Map<string, number>();
  for (const { source, text } of events) {
    const marker = source === "summary" ? /marker-\d+-/.exec(plainText(text))?.[0] : undefined;
    if (marker) counts.set(marker, (counts.get(marker) ?? 0) + 1);
  }
  const total = events.filter(({ source }) => source === "summary").length;
  const faults = runs.flatMap(({ id, request: { name } }) => {
    const count = counts.get(name ?? "") ?? 0;
    return count === 1 ? [] : [`the run ${id} has ${count} summaries`];
  });
  return total === runs.length ? faults : [...faults, `${total} summaries for ${runs.length} runs`];
}

/** A conversation's runs start for the first time in the order in which they were accepted. */
function wrongOrder({ sent, runs, journal }: Evidence): string[] {
  const byMarker = new Map(sent.map((each) => [each.marker, each]));
  const orderOf = new Map<string, number>();
  for (const run of runs) {
    const request = byMarker.get(run.request.name ?? "");
    if (request && request.sessionKey !== null) orderOf.set(run.id, request.order);
  }
  const last = new Map<string, number>();
  const seen = new Set<string>();
  return journal.flatMap(({ kind, runId, sessionKey }) => {
    const order = orderOf.get(runId);
    if (kind !== "start" || order === undefined || seen.has(runId)) return [];
    seen.add(runId);
    const before = last.get(sessionKey) ?? -1;
    last.set(sessionKey, order);
    return order > before ? [] : [`in ${sessionKey}, request ${order} started after request ${before}`];
  });
}

/**
 * An event counts as shown only when a turn that showed it, inside the safety boundary, has finished. None is lost:
 * all are still in the store.
 */
function unseenEvents({ events, journal, prompts }: Evidence): string[] {
  const finished = journal.filter(({ kind, sessionKey }) => kind === "end" && sessionKey === "main");
  const blocks = finished.flatMap(({ attempt }) => parseFences(prompts.get(attempt) ?? ""));
  const shown = blocks.map(({ text }) => text).join("\n");
  const shownWords = new Set(shown.match(/marker-\d+-|done [0-9a-f-]{36}/g) ?? []);
  return events.flatMap(({ id, text, shownAt }) => {
    const word = /done [0-9a-f-]{36}|marker-\d+-/.exec(plainText(text))?.[0];
    if (shownAt === null) return [`the event ${id} still waits at the end`];
    return word && !shownWords.has(word) ? [`the event ${id} counts as shown but was in no turn`] : [];
  });
}
