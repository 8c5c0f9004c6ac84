// The public JSON of stored things, as `--json` prints it. Names are public; times are ISO 8601 or null.
import type { AuditEntry } from "../core/audit.ts";
import type { Delivery } from "../core/delivery.ts";
import { plainText } from "../core/message.ts";
import type { Run } from "../core/run.ts";
import type { SystemEvent } from "../core/system-event.ts";
import type { Session, TranscriptTurn } from "../core/transcript.ts";
import type { RequestRecord } from "../core/request.ts";

const time = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : new Date(milliseconds).toISOString();

export const runResource = (run: Run) => ({
  id: run.id,
  kind: run.kind,
  hook: run.hook,
  name: run.request.name,
  agentId: run.agentId,
  requestedAgentId: run.requestedAgentId,
  sessionKey: run.sessionKey,
  credential: run.request.credential,
  requestId: run.requestId,
  status: run.status,
  attempts: run.attempts,
  createdAt: time(run.createdAt),
  startedAt: time(run.startedAt),
  endedAt: time(run.endedAt),
  reply: run.reply,
  error: run.error,
});

export const eventResource = (event: SystemEvent) => ({
  id: event.id,
  sessionKey: event.sessionKey,
  text: plainText(event.text),
  hook: event.hook,
  requestId: event.requestId ?? null,
  createdAt: time(event.createdAt),
  shownAt: time(event.shownAt),
});

export const deliveryResource = (delivery: Delivery) => ({
  id: delivery.id,
  runId: delivery.runId,
  channel: delivery.channel,
  to: delivery.to,
  status: delivery.status,
  attempts: delivery.attempts,
  sentMessages: delivery.sentMessages,
  createdAt: time(delivery.createdAt),
  sentAt: time(delivery.sentAt),
  error: delivery.error,
});

export const requestResource = (request: RequestRecord) => ({
  id: request.id,
  hook: request.hook,
  origin: request.origin,
  outcome: request.outcome,
  reason: request.reason,
  credential: request.credential,
  event: request.arrival?.event ?? null,
  delivery: request.arrival?.delivery ?? null,
  address: request.arrival?.address ?? null,
  bytes: request.arrival?.bytes ?? null,
  createdAt: time(request.createdAt),
  runIds: request.runIds,
  eventIds: request.eventIds,
  replayOf: request.replayOf,
  mapping: request.mapping,
  decision: request.decision,
});

/** One request, with how it arrived. Its body is read apart. */
export const requestDetailsResource = (request: RequestRecord) => ({
  ...requestResource(request),
  method: request.arrival?.method ?? null,
  target: request.arrival?.target ?? null,
  headers: request.arrival?.headers ?? {},
  hasBody: request.hasBody,
});

export const auditResource = (entry: AuditEntry) => ({
  id: entry.id,
  actor: entry.actor,
  verb: entry.verb,
  subject: entry.subject,
  outcome: entry.outcome,
  createdAt: time(entry.createdAt),
});

export const sessionResource = (session: Session) => ({
  agentId: session.agentId,
  sessionKey: session.sessionKey,
  turns: session.turns,
  lastAt: time(session.lastAt),
  foreignSession: session.foreignSession,
});

export const turnResource = (turn: TranscriptTurn) => ({
  runId: turn.runId,
  role: turn.role,
  text: turn.text,
  createdAt: time(turn.createdAt),
  compacted: turn.compacted,
});

/** To the second, for tables. */
export const shortTime = (iso: string | null): string | null => iso && `${iso.slice(0, 19)}Z`;
