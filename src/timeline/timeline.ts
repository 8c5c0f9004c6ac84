// The timeline: everything that became of one request, or of one run, in order. One pure function of stored rows, for
// the command line, the API and the console alike.
import { largest } from "../core/largest.ts";
import type { RequestRecord } from "../core/request.ts";
import type { Run, RunStatus } from "../core/run.ts";
import { attemptSteps } from "./attempt-steps.ts";
import { afterwardsSteps, replyStep } from "./end-steps.ts";
import type { RunFacts, TimelineFacts } from "./facts.ts";
import { noteStep, replayedStep, requestSteps, unkeptRequest } from "./request-steps.ts";
import { endOf, noteSpan, type Span, spansOf } from "./spans.ts";
import { type Step, timed } from "./step.ts";
import { promptStep, waitedStep } from "./wait-steps.ts";
import { listWords } from "./words.ts";

/** What a run is, beside its steps. */
export type TimelineRun = Pick<
  Run,
  "id" | "kind" | "status" | "agentId" | "sessionKey" | "isolated" | "createdAt" | "endedAt" | "attempts"
> & { readonly name: string | null };

export type Timeline = {
  readonly requestId: string | null;
  readonly hook: string;
  /** Of a request that led to something: of its runs the one that most wants to be looked at. */
  readonly status: TimelineStatus;
  /** In ms since the epoch. */
  readonly beganAt: number;
  /** Null: something goes on. */
  readonly endedAt: number | null;
  readonly tookMs: number;
  readonly runs: readonly TimelineRun[];
  /** Those of the request, then those of each run, then what was made of the request later. */
  readonly steps: readonly Step[];
  /** Of each run; those of one run follow one another without a gap. */
  readonly spans: readonly Span[];
};

/** `shown`, `waiting`: the note of a wake. */
export type TimelineStatus = RunStatus | "shown" | "waiting" | RequestRecord["outcome"];

export function timelineOf(facts: TimelineFacts, now: number): Timeline {
  const { request, runs, events, replays } = facts;
  const beganAt = request?.createdAt ?? runs[0]?.run.createdAt ?? now;
  const endedAt = endOfAll(facts, beganAt);
  return {
    requestId: request?.id ?? null,
    hook: request?.hook ?? runs[0]?.run.hook ?? "",
    status: statusOf(facts),
    beganAt,
    endedAt,
    tookMs: Math.max(0, (endedAt ?? now) - beganAt),
    runs: runs.map(({ run }) => ({ ...picked(run), name: run.request.name })),
    steps: [
      ...firstSteps(facts),
      ...runs.flatMap((each) => runSteps(each, now)),
      ...timed(events.map(noteStep), null, beganAt),
      ...timed(replays.map(replayedStep), null, null),
    ],
    spans: [...runs.flatMap((each) => spansOf(each, now)), ...events.map((event) => noteSpan(event, now))],
  };
}

const picked = ({ id, kind, status, agentId, sessionKey, isolated, createdAt, endedAt, attempts }: Run) => ({
  id,
  kind,
  status,
  agentId,
  sessionKey,
  isolated,
  createdAt,
  endedAt,
  attempts,
});

function firstSteps(facts: TimelineFacts): Step[] {
  const { request, runs, events } = facts;
  if (request !== null) {
    const more = request.runIds.length + request.eventIds.length - runs.length - events.length;
    return timed(requestSteps(request, facts, Math.max(0, more)), null, null).map(withoutSince);
  }
  const run = runs[0]?.run;
  if (!run) return [];
  const text =
    run.kind === "heartbeat"
      ? "a heartbeat of the main session, asked for by Rouse"
      : listWords([
          "its request is not kept",
          run.request.credential !== null && `token ${run.request.credential}`,
        ]);
  return timed([unkeptRequest(text, run.createdAt)], null, null);
}

/** Only one time is stored of a request: these steps are within milliseconds. */
const withoutSince = (step: Step): Step => ({ ...step, sinceMs: null });

function runSteps(facts: RunFacts, now: number): Step[] {
  const { run } = facts;
  const drafts = [
    waitedStep(facts, now),
    promptStep(facts),
    ...attemptSteps(facts, now),
    replyStep(facts),
    ...afterwardsSteps(facts),
  ];
  return timed(drafts, run.id, run.createdAt);
}

/** The earlier, the more it wants to be looked at. */
const urgency: readonly RunStatus[] = [
  "running",
  "queued",
  "parked",
  "failed",
  "timed-out",
  "cancelled",
  "succeeded",
];

function statusOf({ request, runs, events }: TimelineFacts): TimelineStatus {
  const statuses = new Set(runs.map(({ run }) => run.status));
  const run = urgency.find((each) => statuses.has(each));
  if (run !== undefined) return run;
  if (events.length > 0) return events.every(({ shownAt }) => shownAt !== null) ? "shown" : "waiting";
  return request?.outcome ?? "accepted";
}

function endOfAll({ runs, events }: TimelineFacts, beganAt: number): number | null {
  const ends = [...runs.map(endOf), ...events.map(({ shownAt }) => shownAt)];
  return ends.includes(null) ? null : largest(ends.map(Number), beganAt);
}
