// What happened, one moment after the other, read from stored rows: what `rouse logs` prints.
import type { Delivery } from "../../core/delivery.ts";
import type { RequestRecord } from "../../core/request.ts";
import type { Run } from "../../core/run.ts";
import { countWords, durationWords, listWords, reasonWords } from "../../timeline/words.ts";

export type Moment = {
  /** The same moment is printed once. */
  key: string;
  at: number;
  kind: "request" | "run" | "delivery";
  id: string;
  /** What it became: an outcome, a run's status, `retry`, a delivery's status. */
  status: string;
  hook: string | null;
  /** May hold outside text. */
  text: string;
};

export const requestMoments = (request: RequestRecord): Moment[] => {
  const { id, hook, outcome, reason, arrival, mapping, runIds, eventIds, replayOf, createdAt } = request;
  const event = arrival?.event ?? null;
  const [runId, ...moreRuns] = runIds;
  const text = listWords([
    event !== null && `event ${event}`,
    mapping !== null && `mapping ${mapping}`,
    replayOf !== null && `replay of ${replayOf}`,
    outcome === "accepted" &&
      runId !== undefined &&
      (moreRuns.length > 0 ? countWords(runIds.length, "run") : `run ${runId}`),
    outcome === "accepted" && eventIds.length > 0 && countWords(eventIds.length, "note"),
    reason !== null && reasonWords(reason),
  ]);
  return [{ key: id, at: createdAt, kind: "request", id, status: outcome, hook, text }];
};

/** `now`: when a run was seen that waits for its next try, of which no other moment is known. */
export function runMoments(run: Run, now: number): Moment[] {
  const {
    id,
    hook,
    agentId,
    startedAt,
    endedAt,
    createdAt,
    status,
    attempts,
    request,
    error,
    nextTryAt,
    kind,
  } = run;
  const who = listWords([
    kind === "heartbeat" && "heartbeat",
    agentId,
    request.name !== null && `"${request.name}"`,
  ]);
  const moment = (name: string, at: number, state: string, ...more: (string | null)[]): Moment => ({
    key: `${id} ${name}`,
    at,
    kind: "run",
    id,
    status: state,
    hook,
    text: listWords([who, ...more]),
  });
  const why = error === null ? null : reasonWords(error);
  return [
    ...(startedAt === null || status === "parked"
      ? []
      : [moment("start", startedAt, "running", waitWords(startedAt - createdAt))]),
    ...(status === "parked" ? [moment("parked", startedAt ?? now, "parked", why)] : []),
    ...(nextTryAt === null
      ? []
      : [moment(`retry ${attempts}`, now, "retry", `next try in ${durationWords(nextTryAt - now)}`, why)]),
    ...(endedAt === null
      ? []
      : [
          moment(
            "end",
            endedAt,
            status,
            tookWords(run),
            attempts > 1 ? countWords(attempts, "attempt") : null,
            why,
          ),
        ]),
  ];
}

const waitWords = (waitedMs: number): string | null =>
  waitedMs < 1000 ? null : `waited ${durationWords(waitedMs)}`;

const tookWords = ({ startedAt, endedAt }: Run): string | null =>
  startedAt === null || endedAt === null ? null : durationWords(endedAt - startedAt);

export function deliveryMoments(delivery: Delivery, now: number): Moment[] {
  const { id, runId, channel, to, status, attempts, sentMessages, error, createdAt, endedAt } = delivery;
  const target = to === null ? channel : `${channel}, ${to}`;
  const why = error === null ? null : reasonWords(error);
  const text = listWords([
    target,
    sentMessages > 0 && countWords(sentMessages, "message"),
    why,
    `run ${runId}`,
  ]);
  const moment = (name: string, at: number, state: string): Moment => ({
    key: `${id} ${name}`,
    at,
    kind: "delivery",
    id,
    status: state,
    hook: null,
    text,
  });
  if (status !== "waiting") return [moment("end", endedAt ?? createdAt, status)];
  return attempts === 0 || error === null ? [] : [moment(`retry ${attempts}`, now, "retry")];
}

export const inOrder = (moments: readonly Moment[]): Moment[] =>
  moments.toSorted((one, other) => one.at - other.at || ranks[one.kind] - ranks[other.kind]);

const ranks = { request: 0, run: 1, delivery: 2 } as const;
