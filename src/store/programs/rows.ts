// Converts rows to nouns of core and back.
import type { ClaimedDelivery, Delivery, DeliveryStatus } from "../../core/delivery.ts";
import type { Origin, RunRequest } from "../../core/action.ts";
import { outsideMessage, type Message } from "../../core/message.ts";
import type { ClaimedRun, NewRun, Run, RunKind, RunReport, RunStatus } from "../../core/run.ts";
import type { Signals } from "../../core/signals.ts";
import type { WantedTarget } from "../../core/target.ts";
import type { EventSource, NewEvent, SystemEvent } from "../../core/system-event.ts";
import type { Row, Value } from "../driver/program.ts";
import type { RequestRecord } from "../../core/request.ts";
import { jsonIn, type Reading } from "./shapes.ts";
import * as shapes from "./shapes.ts";

const text = (value: Value | undefined): string => String(value);
const textOrNull = (value: Value | undefined): string | null => (value == null ? null : String(value));
const number = (value: Value | undefined): number => Number(value);
export const numberOrNull = (value: Value | undefined): number | null =>
  value == null ? null : Number(value);

/** Outside text is stored JSON-encoded, so that every string survives both databases. */
export const encode = (value: unknown): string => JSON.stringify(value);
export const encodeOrNull = (value: string | null): string | null =>
  value === null ? null : JSON.stringify(value);

/** In the byte order of the database, in which every transaction locks rows. */
export const byBytes = <T>(items: readonly T[], key: (item: T) => string): T[] =>
  items.length < 2
    ? [...items]
    : items
        .map((item) => ({ item, bytes: Buffer.from(key(item)) }))
        .toSorted((a, b) => Buffer.compare(a.bytes, b.bytes))
        .map(({ item }) => item);

export const idColumn = ["id"] as const;

export const runRowColumns = [
  "id",
  "kind",
  "hook",
  "agent",
  "requested",
  "session",
  "lane",
  "request",
  "origin",
] as const;

// A lane is a queue of its own: its runs go one after another, in order of arrival. Only this file knows how lanes are
// named.
const isolatedLanes = "run:";
export const heartbeatLane = "main";

/** A conversation is a lane, and so is every isolated run. */
const laneOf = ({ id, kind, agentId, sessionKey, isolated }: NewRun): string => {
  if (kind === "heartbeat") return heartbeatLane;
  return isolated ? isolatedLanes + id : `session:${agentId}:${sessionKey}`;
};

export const isIsolatedLane = (lane: string): boolean => lane.startsWith(isolatedLanes);

export const toRunRow = (run: NewRun): Value[] => [
  run.id,
  run.kind,
  run.hook,
  run.agentId,
  encodeOrNull(run.requestedAgentId),
  run.sessionKey,
  laneOf(run),
  encode(run.request),
  run.requestId,
];

export const claimedRowColumns = [...runRowColumns, "lease"] as const;

export const toClaimedRow = (run: NewRun, lease: string): Value[] => [...toRunRow(run), lease];

export const eventRowColumns = ["id", "session", "source", "hook", "run", "text", "origin"] as const;

/** With `runId` it is that run's summary, of which there can be only one. */
export const toEventRow = (event: NewEvent, runId: string | null = null): Value[] => [
  event.id,
  event.sessionKey,
  event.source,
  event.hook,
  runId,
  encode(event.text),
  event.requestId ?? null,
];

export const runColumns =
  "seq, id, kind, hook, agent_id, requested_agent_id, session_key, lane, status, attempts, elapsed_ms, cancel_requested, created_at, started_at, ended_at, lease, request, reply, error, signals, report, acted, ready_at, waited_ms, retried_as, request_id";

/** A run has a lease only while it runs. */
export const shownRunColumns = `${runColumns}, case when last_line_lease = lease then last_line end as last_line`;

/** The first versions stored a message as one outside text. */
const toMessage = (stored: unknown): Message =>
  typeof stored === "string" ? outsideMessage("text", "request", stored) : (stored as Message);

/** Of a run that the previous version stored: the agent hook makes one text with this label. */
function originOf(message: string | Message): Origin {
  if (typeof message === "string") return "request";
  const [only, ...others] = message;
  return others.length === 0 && typeof only === "object" && only.label === "message" ? "request" : "mapping";
}

const toRequestOf = (stored: RunRequest): RunRequest => ({
  ...stored,
  message: toMessage(stored.message),
  origin: stored.origin ?? originOf(stored.message),
  budget: stored.budget ?? null,
  unsafe: stored.unsafe ?? false,
  tools: stored.tools ?? [],
  fallback: stored.fallback ?? null,
  deliverFailures: stored.deliverFailures ?? null,
  trace: stored.trace ?? null,
  credential: stored.credential ?? null,
  results: stored.results ?? "none",
  callback: stored.callback ?? null,
});

export const toRun = (row: Row, reading: Reading = "use"): Run => ({
  id: text(row["id"]),
  requestId: textOrNull(row["request_id"]),
  kind: text(row["kind"]) as RunKind,
  hook: text(row["hook"]),
  agentId: text(row["agent_id"]),
  requestedAgentId: jsonIn(row, "requested_agent_id", shapes.text, reading) as string | null,
  sessionKey: text(row["session_key"]),
  isolated: isIsolatedLane(text(row["lane"])),
  status: text(row["status"]) as RunStatus,
  attempts: number(row["attempts"]),
  createdAt: number(row["created_at"]),
  startedAt: numberOrNull(row["started_at"]),
  endedAt: numberOrNull(row["ended_at"]),
  reply: jsonIn(row, "reply", shapes.text, reading) as string | null,
  error: jsonIn(row, "error", shapes.text, reading) as string | null,
  request: toRequestOf(jsonIn(row, "request", shapes.request, reading) as RunRequest),
  report: jsonIn(row, "report", shapes.report, reading) as RunReport | null,
  signals: jsonIn(row, "signals", shapes.signals, reading) as Signals | null,
  lastLine: jsonIn(row, "last_line", shapes.text, reading) as string | null,
  nextTryAt: waitsForRetry(row) ? number(row["ready_at"]) : null,
  retriedAs: textOrNull(row["retried_as"]),
});

const waitsForRetry = (row: Row): boolean =>
  row["status"] === "queued" && number(row["attempts"]) > 0 && row["error"] != null;

export const toClaimedRun = (row: Row): ClaimedRun => ({
  ...toRun(row),
  lease: text(row["lease"]),
  elapsedMs: number(row["elapsed_ms"]),
  waitedMs: number(row["waited_ms"]),
  cancelRequested: number(row["cancel_requested"]) === 1,
  acted: number(row["acted"]) === 1,
});

export const toEvent = (row: Row, reading: Reading = "use"): SystemEvent => ({
  seq: number(row["seq"]),
  id: text(row["id"]),
  sessionKey: text(row["session_key"]),
  source: text(row["source"]) as EventSource,
  hook: textOrNull(row["hook"]),
  text: toMessage(jsonIn(row, "text", shapes.message, reading)),
  requestId: textOrNull(row["request_id"]),
  createdAt: number(row["created_at"]),
  shownAt: numberOrNull(row["shown_at"]),
});

export const toDelivery = (row: Row, reading: Reading = "use"): Delivery => ({
  id: text(row["id"]),
  runId: text(row["run_id"]),
  channel: text(row["channel"]),
  to: jsonIn(row, "recipient", shapes.text, reading) as string | null,
  text: jsonIn(row, "text", shapes.text, reading) as string,
  status: text(row["status"]) as DeliveryStatus,
  attempts: number(row["attempts"]),
  sentMessages: number(row["cursor"]),
  createdAt: number(row["created_at"]),
  sentAt: numberOrNull(row["sent_at"]),
  endedAt: numberOrNull(row["ended_at"]),
  error: jsonIn(row, "error", shapes.text, reading) as string | null,
  fallback: jsonIn(row, "fallback", shapes.target, reading) as WantedTarget | null,
  trace: jsonIn(row, "trace", shapes.text, reading) as string | null,
});

export const toClaimedDelivery = (row: Row, now: number): ClaimedDelivery => ({
  ...toDelivery(row),
  lease: text(row["lease"]),
  uncertainSends: number(row["doubts"]),
  waitedMs: Math.max(0, now - number(row["waiting_since"] ?? row["created_at"])),
});

/** The JSON of the column `about`. */
export type RequestAbout = Pick<RequestRecord, "arrival" | "mapping" | "decision" | "runIds" | "eventIds">;

const nothingAbout: RequestAbout = { arrival: null, mapping: null, decision: null, runIds: [], eventIds: [] };

/** Without the body, which may be large. */
export const requestColumns =
  "seq, id, hook, origin, outcome, reason, credential, about, replay_of, case when body is null then 0 else 1 end as has_body, created_at";

export function toRequest(row: Row): RequestRecord {
  const stored = jsonIn(row, "about", shapes.about, "show") as RequestAbout | string | null;
  const about = typeof stored === "string" ? { ...nothingAbout, unreadable: stored } : stored;
  const { unreadable = "", ...known } = { unreadable: undefined, ...nothingAbout, ...about };
  const reason = (jsonIn(row, "reason", shapes.text, "show") as string) || unreadable;
  return {
    ...known,
    seq: number(row["seq"]),
    id: text(row["id"]),
    hook: text(row["hook"]),
    origin: text(row["origin"]) as RequestRecord["origin"],
    outcome: text(row["outcome"]) as RequestRecord["outcome"],
    reason: reason === "" ? null : reason,
    credential: textOrNull(row["credential"]),
    replayOf: textOrNull(row["replay_of"]),
    hasBody: number(row["has_body"]) === 1,
    createdAt: number(row["created_at"]),
  };
}
