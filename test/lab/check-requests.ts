// What clients were told, held against what is stored: every 2xx ends, twins are one, each run has one summary.
import { plainText } from "../../src/core/message.ts";
import { parseFences } from "../../src/untrusted/fence.ts";
import type { Asked, Histories } from "./history.ts";
import { markerForm } from "./history.ts";
import { replyForm } from "./world.ts";

/** Whatever was answered is stored once; whatever was not, at most once. */
export function lostRequests({ asked, runs, events }: Histories): string[] {
  const stored = Map.groupBy(
    [
      ...runs.map(({ id, request }) => ({ id, text: plainText(request.message) })),
      ...events
        .filter(({ source }) => source === "wake")
        .map(({ id, text }) => ({ id, text: plainText(text) })),
    ],
    ({ text }) => markerForm.exec(text)?.[0] ?? "",
  );
  return asked.flatMap(({ marker, hook, key, answers }) => {
    const ids = (stored.get(marker) ?? []).map(({ id }) => id);
    const wrong = answers.map(({ body }) => idIn(hook, body)).filter((id) => !ids.includes(id));
    return [
      ...(key !== null && answers.length === 0 ? [`${marker} was never answered`] : []),
      ...(ids.length > 1 ? [`${marker} is stored ${ids.length} times`] : []),
      ...wrong.map((id) => `${marker} was answered with ${id}, which is not stored`),
    ];
  });
}

const idIn = (hook: Asked["hook"], body: Readonly<Record<string, unknown>>): string =>
  String(body[hook === "agent" ? "runId" : "eventId"]);

/** All answers to one key say the same, and only one of them says that it is the first. */
export const unlikeTwins = ({ asked }: Histories): string[] =>
  asked.flatMap(({ marker, answers }) => {
    const said = new Set(answers.map(({ status, body }) => JSON.stringify([status, body])));
    const firsts = answers.filter(({ replayed }) => !replayed).length;
    return [
      ...(said.size > 1 ? [`${marker} was answered in ${said.size} different ways`] : []),
      ...(firsts > 1 ? [`${marker} was answered ${firsts} times as if it were new`] : []),
    ];
  });

/** Nothing in the lab makes a run fail: each ends well, with the reply that an attempt of it gave. */
export function wrongEnds({ runs, turns }: Histories): string[] {
  const given = new Set(
    turns.filter(({ answered }) => answered).map((turn) => `${turn.runId}/${turn.attempt}`),
  );
  return runs.flatMap(({ id, status, endedAt, error, reply }) => {
    if (endedAt === null) return [`the run ${id} never ended: it is ${status}`];
    if (status !== "succeeded") return [`the run ${id} ended as ${status}: ${error}`];
    const stored = replyForm.exec(reply ?? "")?.[0] ?? "";
    return stored.startsWith(id) && given.has(stored)
      ? []
      : [`the run ${id} has a reply that nobody gave it`];
  });
}

/** A run's name is its marker, and stands in its summary. */
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

/** An event is over when the main session was shown it in a turn that the agent has answered, and no sooner. */
export function unseenEvents({ asked, events, turns }: Histories): string[] {
  const ours = new Set(asked.map(({ marker }) => marker));
  const shown = new Set(
    turns
      .filter(({ sessionKey, answered }) => sessionKey === "main" && answered)
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
