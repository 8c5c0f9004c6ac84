// Rows to records and back.
import type { ClaimedDelivery, Delivery, DeliveryStatus, NewDelivery } from "../../core/delivery.ts";
import type { RunRequest } from "../../core/action.ts";
import type { ClaimedRun, NewRun, Run, RunKind, RunStatus } from "../../core/run.ts";
import type { EventSource, NewEvent, SystemEvent } from "../../core/system-event.ts";
import type { Row, Value } from "../driver.ts";
import type { RequestRecord } from "../store.ts";

const text = (value: Value | undefined): string => String(value);
const textOrNull = (value: Value | undefined): string | null => (value == null ? null : String(value));
const number = (value: Value | undefined): number => Number(value);
const numberOrNull = (value: Value | undefined): number | null => (value == null ? null : Number(value));

/** Outside text is stored JSON-encoded, so that every string survives both databases. */
export const encode = (value: unknown): string => JSON.stringify(value);
export const encodeOrNull = (value: string | null): string | null =>
  value === null ? null : JSON.stringify(value);
const decode = (value: Value | undefined): unknown => JSON.parse(text(value));
const decodeOrNull = (value: Value | undefined): string | null =>
  value == null ? null : (JSON.parse(String(value)) as string);

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
] as const;

export const toRunRow = (run: NewRun): Value[] => [
  run.id,
  run.kind,
  run.hook,
  run.agentId,
  encodeOrNull(run.requestedAgentId),
  run.sessionKey,
  run.lane,
  encode(run.request),
];

export const eventRowColumns = ["id", "session", "source", "hook", "text"] as const;

export const toEventRow = (event: NewEvent): Value[] => [
  event.id,
  event.sessionKey,
  event.source,
  event.hook,
  encode(event.text),
];

export const runColumns =
  "seq, id, kind, hook, agent_id, requested_agent_id, session_key, lane, status, attempts, elapsed_ms, cancel_requested, created_at, started_at, ended_at, lease, request, reply, error";

export const toRun = (row: Row): Run => ({
  id: text(row["id"]),
  kind: text(row["kind"]) as RunKind,
  hook: text(row["hook"]),
  agentId: text(row["agent_id"]),
  requestedAgentId: decodeOrNull(row["requested_agent_id"]),
  sessionKey: text(row["session_key"]),
  lane: text(row["lane"]),
  status: text(row["status"]) as RunStatus,
  attempts: number(row["attempts"]),
  createdAt: number(row["created_at"]),
  startedAt: numberOrNull(row["started_at"]),
  endedAt: numberOrNull(row["ended_at"]),
  reply: decodeOrNull(row["reply"]),
  error: decodeOrNull(row["error"]),
  request: decode(row["request"]) as RunRequest,
});

export const toClaimedRun = (row: Row): ClaimedRun => ({
  ...toRun(row),
  lease: text(row["lease"]),
  elapsedMs: number(row["elapsed_ms"]),
  cancelRequested: number(row["cancel_requested"]) === 1,
});

export const toEvent = (row: Row): SystemEvent => ({
  seq: number(row["seq"]),
  id: text(row["id"]),
  sessionKey: text(row["session_key"]),
  source: text(row["source"]) as EventSource,
  hook: textOrNull(row["hook"]),
  text: decode(row["text"]) as string,
  createdAt: number(row["created_at"]),
  shownAt: numberOrNull(row["shown_at"]),
});

export const toDelivery = (row: Row): Delivery => ({
  id: text(row["id"]),
  runId: text(row["run_id"]),
  channel: text(row["channel"]),
  to: decodeOrNull(row["recipient"]),
  text: decode(row["text"]) as NewDelivery["text"],
  status: text(row["status"]) as DeliveryStatus,
  attempts: number(row["attempts"]),
  createdAt: number(row["created_at"]),
  sentAt: numberOrNull(row["sent_at"]),
  error: decodeOrNull(row["error"]),
});

export const toClaimedDelivery = (row: Row): ClaimedDelivery => ({
  ...toDelivery(row),
  lease: text(row["lease"]),
});

export const toRequest = (row: Row): RequestRecord => ({
  id: text(row["id"]),
  hook: text(row["hook"]),
  outcome: text(row["outcome"]) as RequestRecord["outcome"],
  reason: decode(row["reason"]) as string,
  createdAt: number(row["created_at"]),
});
