// A request: what follows from it, and the response to its caller.
import type { Refusal } from "./errors.ts";
import type { ClaimedRun, NewRun } from "./run.ts";
import type { HeartbeatRequest, NewEvent } from "./system-event.ts";

export type Idempotency = {
  key: string;
  /** Of the body. A repeated key with another one is a mismatch. */
  fingerprint: string;
  /** A request with either key is a repeated one. */
  secondKey?: string;
  /** How long its keys are kept, where that is longer than usual. */
  keptMs?: number;
};

/** Of an Idempotency-Key: visible ASCII. */
export const isGoodKey = (written: string): boolean => /^[\x21-\x7e]{1,255}$/.test(written);

/** Everything that follows from one request, stored in one transaction. */
export type Acceptance = {
  id: string;
  hook: string;
  events: readonly NewEvent[];
  runs: readonly NewRun[];
  /** Ask for a heartbeat of the main session in the same transaction. */
  heartbeat: HeartbeatRequest | null;
  idempotency: Idempotency | null;
  /** Kept with the idempotency key, for a repeated request. */
  response: StoredResponse;
};

export type StoredResponse = { status: number; body: Readonly<Record<string, unknown>> };

/** `started`: its run, which this node has claimed and started. */
export type Stored = { kind: "stored"; started?: ClaimedRun };
/** The result for a request whose idempotency key is known. */
export type Repeated =
  /** `rebuiltFor`: the stored response cannot be read; this one says only what was stored under this id. */
  { kind: "replayed"; response: StoredResponse; rebuiltFor?: string } | { kind: "mismatch" };
export type Accepted = Stored | Repeated;

/** A request that led to no action: `skipped` is 204, `failed` 500. The reason is for the operator. */
export type NoAction = { readonly outcome: "skipped" | "failed"; readonly reason: string };

export type Decision = Acceptance | Refusal | NoAction;

export type RequestRecord = {
  id: string;
  hook: string;
  /** `refused`: it was a sender's, proven, and could not be used. */
  outcome: NoAction["outcome"] | "refused";
  reason: string;
  /** The named token that it came with (`hooks.tokens`). */
  credential: string | null;
  createdAt: number;
};
