// Searches of stored things: newest first, behind a position. Several values of one field are alternatives; different
// fields all count. A page reads a bounded number of rows, whatever is stored and asked for: so it may be short, or
// empty, and still have a next one.
import type { AttemptRecord } from "../../core/attempt-record.ts";
import type { Delivery } from "../../core/delivery.ts";
import type { RequestOutcome, RequestRecord } from "../../core/request.ts";
import type { Run } from "../../core/run.ts";
import type { SystemEvent } from "../../core/system-event.ts";
import type { Session } from "../../core/transcript.ts";

export type Search = {
  limit: number;
  /** The position behind which to go on; null: from the newest. */
  before: number | null;
  /** The beginning of an id. */
  id?: string;
  /** Stored at or after, and before, these times. */
  since?: number;
  until?: number;
  hooks?: readonly string[];
};

export type RequestSearch = Search & {
  outcomes?: readonly string[];
  /** The status of a run that it led to. Such a search has the order of those runs. */
  statuses?: readonly string[];
  /** The reason, exactly. */
  reason?: string;
};

export type RunSearch = Search & {
  kinds?: readonly string[];
  statuses?: readonly string[];
  agents?: readonly string[];
  sessions?: readonly string[];
  /** The error, exactly. */
  error?: string;
};

export const eventStatuses = ["waiting", "shown"] as const;

export type EventSearch = Search & { /** Shown, or waiting. */ statuses?: readonly string[] };

export type DeliverySearch = Omit<Search, "hooks"> & {
  statuses?: readonly string[];
  channels?: readonly string[];
  runId?: string;
};

/** Sessions have the order in which they were last used; `since` and `until` are about that time. */
export type SessionSearch = {
  limit: number;
  before: SessionPosition | null;
  since?: number;
  until?: number;
  agents?: readonly string[];
};

export type SessionPosition = Pick<Session, "agentId" | "sessionKey" | "lastAt">;

/** `next`: where the next page begins, also when this one is short; null: nothing is left. */
export type Found<T, Position = number> = { items: T[]; next: Position | null };

export type IdKind = "request" | "run" | "event" | "delivery";

/** The fewest characters of an id that stand for it. */
export const shortestPrefix = 4;

/** What a written id stands for. `several`: the first of those that begin so. */
export type ResolvedId =
  | { kind: "one"; id: string }
  | { kind: "none" }
  | { kind: "several"; candidates: { id: string; createdAt: number }[]; more: boolean };

/** Requests of half a minute by their outcome. */
export type OutcomeCounts = { from: number; counts: Partial<Record<RequestOutcome, number>> };

export type Searches = {
  searchRequests(search: RequestSearch): Promise<Found<RequestRecord>>;
  searchRuns(search: RunSearch): Promise<Found<Run>>;
  searchEvents(search: EventSearch): Promise<Found<SystemEvent>>;
  searchDeliveries(search: DeliverySearch): Promise<Found<Delivery>>;
  searchSessions(search: SessionSearch): Promise<Found<Session, SessionPosition>>;
  /** An id as it is, a prefix of one, or `last`: the newest (of runs: the newest run of a hook). */
  resolveId(kind: IdKind, written: string): Promise<ResolvedId>;
  /** Those that are stored, in the order of `ids`. */
  findRuns(ids: readonly string[]): Promise<Run[]>;
  findEvents(ids: readonly string[]): Promise<SystemEvent[]>;
  /** Of several runs, each oldest first. */
  attemptsOf(runIds: readonly string[]): Promise<AttemptRecord[]>;
  /** The same, with empty texts: these may be long. */
  deliveriesOf(runIds: readonly string[]): Promise<Delivery[]>;
  /** The replays of a request, oldest first; at most 100. */
  listReplays(requestId: string): Promise<RequestRecord[]>;
  /** What a queued run waits behind: the head of its lane. Null where it is the head itself, or has ended. */
  runBehind(id: string): Promise<Run | null>;
  /** How many of the last 2,000 requests with this outcome have this hook and reason, up to 100; `besides` is not counted. */
  sameReason(as: {
    hook: string;
    outcome: RequestOutcome;
    reason: string | null;
    besides?: string;
  }): Promise<{ count: number; more: boolean }>;
  /**
   * The last hour in 120 parts, oldest first. Reads an index with at most 50,000 entries: `completeSince` is later than
   * the first part where there are more.
   */
  outcomesPerHalfMinute(): Promise<{ parts: OutcomeCounts[]; completeSince: number }>;
};
