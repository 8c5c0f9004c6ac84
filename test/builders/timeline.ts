// Stored rows as a timeline reads them. Times are milliseconds after the request was received.
import type { AttemptRecord, ToolCall } from "../../src/core/attempt-record.ts";
import type { Delivery } from "../../src/core/delivery.ts";
import type { RequestRecord } from "../../src/core/request.ts";
import type { Run } from "../../src/core/run.ts";
import type { SystemEvent } from "../../src/core/system-event.ts";
import type { RunFacts, TimelineFacts } from "../../src/timeline/facts.ts";
import { aRequest } from "./acceptance.ts";
import { aMessage, aRun } from "./run.ts";

/** 20 November 2026, 12:04:11.204 UTC. */
export const receivedAt = Date.UTC(2026, 10, 20, 12, 4, 11, 204);
export const after = (ms: number): number => receivedAt + ms;

export const aRequestRecord = (parts: Partial<RequestRecord> = {}): RequestRecord => {
  const { body: _, ...request } = aRequest({ id: "request-1" });
  return {
    ...request,
    outcome: "accepted",
    reason: null,
    runIds: parts.outcome === undefined || parts.outcome === "accepted" ? ["run-1"] : [],
    eventIds: [],
    hasBody: true,
    seq: 1,
    createdAt: receivedAt,
    ...parts,
  };
};

/** One that has ended after 20 seconds, on its first attempt. */
export const aRunRow = (parts: Partial<Run> = {}): Run => ({
  ...aRun({ id: "run-1", requestId: "request-1" }),
  status: "succeeded",
  attempts: 1,
  createdAt: receivedAt,
  startedAt: after(2_000),
  endedAt: after(20_000),
  reply: "It is done.",
  error: null,
  signals: { hiddenCharacters: 0, chatTokens: 0, fakeMarkers: 0, roleLabels: 0 },
  report: null,
  lastLine: null,
  nextTryAt: null,
  retriedAs: null,
  ...parts,
});

export const anAttemptRecord = (parts: Partial<AttemptRecord> = {}): AttemptRecord => ({
  runId: "run-1",
  number: 1,
  node: "harbour-a",
  startedAt: after(2_000),
  endedAt: after(20_000),
  outcome: "succeeded",
  reason: null,
  nextTryAt: null,
  toolCalls: [],
  ...parts,
});

export const aToolCall = (parts: Partial<ToolCall> = {}): ToolCall => ({
  name: "read",
  atMs: 100,
  tookMs: 41,
  ok: true,
  input: null,
  output: null,
  ...parts,
});

export const aDeliveryRow = (parts: Partial<Delivery> = {}): Delivery => ({
  id: "delivery-1",
  runId: "run-1",
  channel: "telegram",
  to: "12345",
  text: "It is done.",
  status: "sent",
  attempts: 1,
  sentMessages: 1,
  createdAt: after(20_000),
  sentAt: after(20_900),
  endedAt: after(20_900),
  error: null,
  fallback: null,
  trace: null,
  ...parts,
});

export const aNote = (parts: Partial<SystemEvent> = {}): SystemEvent => ({
  id: "event-1",
  sessionKey: "main",
  source: "wake",
  hook: "wake",
  text: aMessage("the build is red"),
  requestId: "request-1",
  seq: 1,
  createdAt: receivedAt,
  shownAt: null,
  ...parts,
});

/** Of a run that went well: one prompt, one attempt, a summary that was shown, a reply that was sent. */
export const runFacts = (parts: Partial<RunFacts> = {}): RunFacts => ({
  run: aRunRow(),
  attempts: [anAttemptRecord()],
  behind: null,
  prompt: { at: after(2_000), characters: 800, texts: [{ label: "message", characters: 20 }] },
  summary: { id: "event-9", shownAt: after(23_000) },
  deliveries: [aDeliveryRow()],
  retry: null,
  ...parts,
});

export const timelineFacts = (parts: Partial<TimelineFacts> = {}): TimelineFacts => ({
  request: aRequestRecord(),
  runs: [runFacts()],
  events: [],
  replays: [],
  others: 0,
  ...parts,
});

/** Of a request that led to nothing. */
export const unusedFacts = (
  request: Partial<RequestRecord>,
  parts: Partial<TimelineFacts> = {},
): TimelineFacts =>
  timelineFacts({ request: aRequestRecord({ runIds: [], ...request }), runs: [], ...parts });

/** Of a run that has not ended. */
export const unfinished = (run: Partial<Run>, parts: Partial<RunFacts> = {}): RunFacts =>
  runFacts({
    run: aRunRow({
      status: "queued",
      attempts: 0,
      startedAt: null,
      endedAt: null,
      reply: null,
      signals: null,
      ...run,
    }),
    attempts: [],
    prompt: null,
    summary: null,
    deliveries: [],
    ...parts,
  });
