// A request: what follows from it, and the response to its caller.
import { reasonOf, type Refusal } from "./errors.ts";
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
  /** The request that it came from, as it is kept; null where requests are not kept. Its runs and events name it. */
  request: NewRequest | null;
  /** It leads to nothing, and only its key is stored. */
  nothing?: NoAction;
  events: readonly NewEvent[];
  runs: readonly NewRun[];
  /** Ask for a heartbeat of the main session in the same transaction. */
  heartbeat: HeartbeatRequest | null;
  idempotency: Idempotency | null;
  /** Kept with the idempotency key, for a repeated request. */
  response: StoredResponse;
};

export type StoredResponse = {
  status: number;
  body: Readonly<Record<string, unknown>>;
  /** The caller may read what becomes of its runs. */
  readable?: boolean;
};

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

/** A decision, and the request that it is about: an acceptance has it, too, where that is kept. */
export type Decided = { decision: Decision; request: NewRequest };

export const requestOrigins = ["http", "mail", "schedule", "replay"] as const;
export type RequestOrigin = (typeof requestOrigins)[number];

/**
 * What came of a request. `repeated`: it has the key of an earlier one. `refused`: it came with a right token or proof,
 * and cannot be used. `full`: too many runs are waiting.
 */
export const requestOutcomes = ["accepted", "repeated", "skipped", "refused", "failed", "full"] as const;
export type RequestOutcome = (typeof requestOutcomes)[number];

/** One filter of a mapping: what it wanted, and what it met, both cut and in words for the operator. */
export type TriedFilter = {
  /** `event`, `header x-…` or `payload.a.b`. */
  readonly field: string;
  readonly wanted: string;
  readonly met: string;
  readonly holds: boolean;
};

/** What one mapping said. `reason`: why it did not take the request, where no filter says so. */
export type TriedMapping = {
  readonly id: string;
  readonly takes: boolean;
  readonly reason: string | null;
  readonly filters: readonly TriedFilter[];
};

/** How a request was decided. The mappings are those that were tried, in their order. */
export type RequestDecision = {
  readonly mappings: readonly TriedMapping[];
  /** Null where it did not come so far. */
  readonly policy: { readonly allowed: boolean; readonly reason: string | null } | null;
};

/** How a request arrived. Of a mail or a schedule, most of it is null. */
export type RequestArrival = {
  readonly method: string | null;
  /** Path and query, without the values of secret parameters. */
  readonly target: string | null;
  readonly address: string | null;
  /** The size of its body. */
  readonly bytes: number;
  /** Names in lower case, without secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** What its sender says that it is about, and its id. */
  readonly event: string | null;
  readonly delivery: string | null;
};

/** A request as it is kept. */
export type NewRequest = {
  id: string;
  hook: string;
  origin: RequestOrigin;
  /** The named token (`hooks.tokens`) or the sender that it came with. */
  credential: string | null;
  arrival: RequestArrival;
  /** The id of the mapping that took it. */
  mapping: string | null;
  decision: RequestDecision | null;
  /** The request that this one repeats. */
  replayOf: string | null;
  /** Null where bodies are not kept, or this one is too large. */
  body: Uint8Array | null;
};

export const noArrival: RequestArrival = {
  method: null,
  target: null,
  address: null,
  bytes: 0,
  headers: {},
  event: null,
  delivery: null,
};

/** A request of which nothing is known but what is given. */
export const newRequest = (
  known: Pick<NewRequest, "id" | "hook" | "origin"> & Partial<NewRequest>,
): NewRequest => ({
  credential: null,
  arrival: noArrival,
  mapping: null,
  decision: null,
  replayOf: null,
  body: null,
  ...known,
});

/** A kept request, without its body. Columns that an earlier version did not store are null or empty. */
export type RequestRecord = Omit<NewRequest, "body" | "arrival"> & {
  arrival: RequestArrival | null;
  outcome: RequestOutcome;
  /** Why it led to nothing, for the operator; null where it was accepted. */
  reason: string | null;
  runIds: readonly string[];
  eventIds: readonly string[];
  /** Its body is kept. */
  hasBody: boolean;
  seq: number;
  createdAt: number;
};

/** What a request led to. */
export type Effects = { readonly runIds: readonly string[]; readonly eventIds: readonly string[] };

/** A request that led to nothing new. `request` has no body where that was not read. */
export type UnusedRequest = {
  request: NewRequest;
  outcome: Exclude<RequestOutcome, "accepted">;
  reason: string | null;
  /** Of a repeated request: what the first one led to. */
  first?: Effects;
};

/** What came of a replay, and of which request it is one. */
export type Replay = { id: string; replayOf: string; outcome: RequestOutcome };

/** What the first request led to, as far as its stored response says. */
export function effectsIn({ body }: StoredResponse): Effects {
  const idsIn = (one: unknown, list: unknown): string[] =>
    (typeof one === "string" ? [one] : Array.isArray(list) ? list : []).filter(
      (id): id is string => typeof id === "string",
    );
  return {
    runIds: idsIn(body["runId"], body["runIds"]),
    eventIds: idsIn(body["eventId"], body["eventIds"]),
  };
}

/** What is kept of a repeated request. */
export const repeatedRequest = (first: Repeated): Omit<UnusedRequest, "request"> =>
  first.kind === "mismatch"
    ? { outcome: "refused", reason: reasonOf({ refused: "idempotency-mismatch" }) }
    : { outcome: "repeated", reason: null, first: effectsIn(first.response) };
