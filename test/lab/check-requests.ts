// Compares the responses that clients got with the store: each accepted run ends, twins are one, one summary a run.
import { plainText } from "../../src/core/message.ts";
import { parseFences } from "../../src/untrusted/fence.ts";
import type { ClientRequest, Histories } from "./history.ts";
import { markerForm } from "./history.ts";
import { replyForm } from "./world.ts";

/** A request with a 2xx response is stored once, any other at most once. */
export function lostRequests({ requests, runs, events }: Histories): string[] {
  const stored = Map.groupBy(
    [
      ...runs.map(({ id, request }) => ({ id, text: plainText(request.message) })),
      ...events
        .filter(({ source }) => source === "wake")
        .map(({ id, text }) => ({ id, text: plainText(text) })),
    ],
    ({ text }) => markerForm.exec(text)?.[0] ?? "",
  );
  return requests.flatMap(({ marker, hook, key, responses }) => {
    const ids = (stored.get(marker) ?? []).map(({ id }) => id);
    const wrong = responses.map(({ body }) => idIn(hook, body)).filter((id) => !ids.includes(id));
    return [
      ...(key !== null && responses.length === 0 ? [`${marker} never got a response`] : []),
      ...(ids.length > 1 ? [`${marker} is stored ${ids.length} times`] : []),
      ...wrong.map((id) => `${marker} got ${id} in a response, which is not stored`),
    ];
  });
}

const idIn = (hook: ClientRequest["hook"], body: Readonly<Record<string, unknown>>): string =>
  String(body[hook === "agent" ? "runId" : "eventId"]);

/**
 * Each 2xx has its kept request: one that was accepted for each run and wake, which name it, and a repeated one for each
 * response that was marked as a replay.
 */
export function unkeptRequests({ requests, runs, events, kept }: Histories): string[] {
  const byId = Map.groupBy(
    kept.flatMap(({ id, outcome, runIds, eventIds }) =>
      [...runIds, ...eventIds].map((stored) => ({ id, outcome, stored })),
    ),
    ({ stored }) => stored,
  );
  const named = new Map([...runs, ...events].map(({ id, requestId }) => [id, requestId]));
  return requests.flatMap(({ marker, hook, responses }) =>
    [...Map.groupBy(responses, ({ body }) => idIn(hook, body))].flatMap(([stored, all]) => {
      const rows = byId.get(stored) ?? [];
      const [first, ...others] = rows.filter(({ outcome }) => outcome === "accepted");
      const repeated = rows.filter(({ outcome }) => outcome === "repeated").length;
      const replays = all.filter(({ replayed }) => replayed).length;
      return [
        ...(first === undefined ? [`${marker} is answered, and its request is not kept`] : []),
        ...(others.length > 0 ? [`${marker} is kept as accepted ${others.length + 1} times`] : []),
        ...(first && named.get(stored) !== first.id ? [`${stored} does not name its request`] : []),
        ...(repeated < replays
          ? [`${marker} was replayed ${replays} times, ${repeated} of them are kept`]
          : []),
      ];
    }),
  );
}

/** All responses to one key are the same, and only one of them is not marked as a replay. */
export const unlikeTwins = ({ requests }: Histories): string[] =>
  requests.flatMap(({ marker, responses }) => {
    const kinds = new Set(responses.map(({ status, body }) => JSON.stringify([status, body])));
    const firsts = responses.filter(({ replayed }) => !replayed).length;
    return [
      ...(kinds.size > 1 ? [`${marker} got ${kinds.size} different responses`] : []),
      ...(firsts > 1 ? [`${marker} was accepted as new ${firsts} times`] : []),
    ];
  });

/** Every run of the lab succeeds, with the reply of one of its attempts. */
export function wrongEnds({ runs, turns }: Histories): string[] {
  const given = new Set(
    turns.filter(({ replied }) => replied).map((turn) => `${turn.runId}/${turn.attempt}`),
  );
  return runs.flatMap(({ id, status, endedAt, error, reply }) => {
    if (endedAt === null) return [`the run ${id} never ended: it is ${status}`];
    if (status !== "succeeded") return [`the run ${id} ended as ${status}: ${error}`];
    const stored = replyForm.exec(reply ?? "")?.[0] ?? "";
    return stored.startsWith(id) && given.has(stored)
      ? []
      : [`the run ${id} has a reply that no attempt gave`];
  });
}

/** A run's name is its marker, and its summary holds the name. */
export function wrongSummaries({ runs, events }: Histories): string[] {
  const summaries = Map.groupBy(
    events.filter(({ source }) => source === "summary"),
    ({ text }) => markerForm.exec(plainText(text))?.[0] ?? "",
  );
  return runs.flatMap(({ id, request }) => {
    const count = summaries.get(request.name ?? "")?.length ?? 0;
    return count === 1 ? [] : [`the run ${id} has ${count} summaries`];
  });
}

/** An event is marked as shown only when a turn of the main session held it and got a reply. */
export function unseenEvents({ requests, events, turns }: Histories): string[] {
  const ours = new Set(requests.map(({ marker }) => marker));
  const shown = new Set(
    turns
      .filter(({ sessionKey, replied }) => sessionKey === "main" && replied)
      .flatMap(({ prompt }) => parseFences(prompt))
      .flatMap(({ text }) => text.match(new RegExp(markerForm, "g")) ?? []),
  );
  return events.flatMap(({ id, text, shownAt }) => {
    const marker = markerForm.exec(plainText(text))?.[0];
    if (marker === undefined || !ours.has(marker)) return [];
    if (shownAt === null) return [`the event ${id} (${marker}) was never shown`];
    return shown.has(marker) ? [] : [`the event ${id} (${marker}) counts as shown but was in no turn`];
  });
}
