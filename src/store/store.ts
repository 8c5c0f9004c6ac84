// The store port: everything durable, as verbs of the domain.
//
// The contract, held by `store.contract.ts` on every implementation:
// - A promise that resolves has been committed to disk; one that rejects has changed nothing.
// - `StoreUnavailable` means the store is away (disk full, database gone) and the same call may work later.
// - Changes to a claimed run or delivery need its lease; with a lease that was lost they change nothing and
//   answer false.
// - Text is kept exactly, NUL and lone surrogates included.
import type { Delivery, ClaimedDelivery, DeliveryStatus, NewDelivery } from "../core/delivery.ts";
import type { ClaimedRun, EndStatus, NewRun, Run, RunKind } from "../core/run.ts";
import type { NewEvent, SystemEvent } from "../core/system-event.ts";
import type { Target } from "../core/target.ts";

/** All that one request leads to, stored together or not at all. */
export type Acceptance = {
  id: string;
  hook: string;
  events: readonly NewEvent[];
  runs: readonly NewRun[];
  /** Ask for a heartbeat of the main session in the same transaction. */
  heartbeat: HeartbeatRequest | null;
  idempotency: { key: string; fingerprint: string } | null;
  /** What the caller is told, kept to be told again to a request with the same idempotency key. */
  answer: Answer;
};

export type Answer = { status: number; body: Readonly<Record<string, unknown>> };

export type Accepted = { kind: "stored" } | { kind: "replayed"; answer: Answer } | { kind: "mismatch" };

/** Heartbeat requests coalesce: while one waits that has not begun, another changes nothing. */
export type HeartbeatRequest = { agentId: string; delayMs: number };

/** Everything that follows from an attempt of a run, in one transaction. Made by `settle` in runner/. */
export type Settlement = {
  next:
    | { kind: "ended"; status: EndStatus; reply: string | null; error: string | null }
    | { kind: "retry"; delayMs: number; error: string }
    /** Given back unharmed, as on a clean stop: costs no attempt. */
    | { kind: "released" };
  workedMs: number;
  summary: NewEvent | null;
  delivery: NewDelivery | null;
  heartbeat: HeartbeatRequest | null;
  /** Events this turn has shown to the model. */
  shownEventIds: readonly string[];
};

export type DeliverySettlement = {
  status: DeliveryStatus;
  /** For `waiting`: when to try again. */
  delayMs: number;
  /** An attempt that did not count, as on a clean stop, is given back. */
  countsAttempt: boolean;
  error: string | null;
  channel: string;
  to: string | null;
  notice: NewEvent | null;
};

export type Claim<T> = {
  claimed: T[];
  /** When the next one becomes due (a retry, an expiring lease), as far as is known now; null for none. */
  nextReadyAt: number | null;
};

export type RequestRecord = {
  id: string;
  hook: string;
  outcome: "skipped" | "failed";
  reason: string;
  createdAt: number;
};

/** `limit` null: all. Lists are newest first. */
export type Page = { limit: number | null };

export type Retention = { finishedMs: number; requestsMs: number; idempotencyMs: number };

export type CancelResult = "cancelled" | "requested" | "ended" | "unknown";

export type Store = {
  accept(acceptance: Acceptance): Promise<Accepted>;
  recordRequest(record: Omit<RequestRecord, "createdAt">): Promise<void>;

  claimRuns(claim: {
    kind: RunKind;
    limit: number;
    lease: string;
    leaseMs: number;
  }): Promise<Claim<ClaimedRun>>;
  /** Extends the leases that are still held. Answers which those are, and which of them are to be cancelled. */
  renewRuns(renewal: {
    ids: readonly string[];
    lease: string;
    leaseMs: number;
  }): Promise<{ held: string[]; cancelled: string[] }>;
  /** False when the lease was lost. */
  settleRun(run: { id: string; lease: string }, settlement: Settlement): Promise<boolean>;
  /** A waiting run ends at once, with its summary; a running one is stopped by its worker. */
  cancelRun(
    id: string,
    ended: { error: string; summary: NewEvent | null; heartbeat: HeartbeatRequest | null },
  ): Promise<CancelResult>;
  /** A new run with the same request as one that has ended. */
  repeatRun(id: string, newId: string): Promise<"queued" | "not-ended" | "unknown">;
  /** Runs accepted and not yet ended. */
  countUnfinished(): Promise<number>;

  requestHeartbeat(request: HeartbeatRequest): Promise<void>;
  /** Requests the periodic heartbeat when it is due, once for all nodes. Answers when the next one is. */
  beatIfDue(request: HeartbeatRequest, everyMs: number): Promise<number>;
  /** Oldest first, up to `limit`. */
  waitingEvents(sessionKey: string, limit: number): Promise<SystemEvent[]>;

  claimDeliveries(claim: { limit: number; lease: string; leaseMs: number }): Promise<Claim<ClaimedDelivery>>;
  settleDelivery(delivery: { id: string; lease: string }, settlement: DeliverySettlement): Promise<boolean>;
  retryDelivery(id: string): Promise<"waiting" | "not-ended" | "unknown">;
  cancelDelivery(id: string, error: string): Promise<CancelResult>;

  listRuns(page: Page & { kind: RunKind }): Promise<Run[]>;
  findRun(id: string): Promise<Run | null>;
  listEvents(page: Page): Promise<SystemEvent[]>;
  findEvent(id: string): Promise<SystemEvent | null>;
  /** Shown again by the next turn (true), or never shown (false). */
  markEvent(id: string, waiting: boolean): Promise<boolean>;
  listDeliveries(page: Page & { runId?: string }): Promise<Delivery[]>;
  findDelivery(id: string): Promise<Delivery | null>;
  listRequests(page: Page): Promise<RequestRecord[]>;

  lastTarget(): Promise<Target | null>;
  setLastTarget(target: Target | null): Promise<void>;

  /** Removes what is older than its retention, at most `limit` of each kind; answers how many went. */
  sweep(retention: Retention, limit: number): Promise<number>;
  /** What time it is for the database. */
  databaseTime(): Promise<number>;
  /** Resolves when the store can be written. */
  probe(): Promise<void>;
  close(): Promise<void>;
};
