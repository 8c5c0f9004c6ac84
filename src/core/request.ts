// A request: what it leads to, and what its caller is told.
import type { Refusal } from "./errors.ts";
import type { ClaimedRun, NewRun } from "./run.ts";
import type { HeartbeatRequest, NewEvent } from "./system-event.ts";

export type Idempotency = { key: string; fingerprint: string };

/** All that one request leads to, stored together or not at all. */
export type Acceptance = {
  id: string;
  hook: string;
  events: readonly NewEvent[];
  runs: readonly NewRun[];
  /** Ask for a heartbeat of the main session in the same transaction. */
  heartbeat: HeartbeatRequest | null;
  idempotency: Idempotency | null;
  /** What the caller is told, kept to be told again to a request with the same idempotency key. */
  response: StoredResponse;
};

export type StoredResponse = { status: number; body: Readonly<Record<string, unknown>> };

/** `started`: its run, claimed by this node, with its prompt in the transcript. */
export type Stored = { kind: "stored"; started?: ClaimedRun };
/** What another request with the same key makes of this one. */
export type Repeated = { kind: "replayed"; response: StoredResponse } | { kind: "mismatch" };
export type Accepted = Stored | Repeated;

/** A request that leads to nothing: `skipped` is 204, `failed` 500; the reason is kept for the operator. */
export type NoAction = { readonly outcome: "skipped" | "failed"; readonly reason: string };

export type Decision = Acceptance | Refusal | NoAction;

export type RequestRecord = {
  id: string;
  hook: string;
  outcome: "skipped" | "failed";
  reason: string;
  createdAt: number;
};
