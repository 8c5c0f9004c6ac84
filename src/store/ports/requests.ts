// Requests: acceptances, records, and failed tokens.
import type { FirstAttempt } from "../../core/attempt.ts";
import type {
  Acceptance,
  Accepted,
  Idempotency,
  Repeated,
  Replay,
  RequestRecord,
  UnusedRequest,
} from "../../core/request.ts";
import type { Page } from "./page.ts";

/** How often an address has failed in its window, and when the window ends. */
export type FailureCount = { failures: number; endsInMs: number };

export type Requests = {
  /** With `first`, the single isolated run of an acceptance is stored as started, where its budget allows that. */
  accept(acceptance: Acceptance, first?: FirstAttempt): Promise<Accepted>;
  /** Whether a request with this key is stored already; null when none is. Used when a new one would be refused. */
  findRepeated(hook: string, idempotency: Idempotency): Promise<Repeated | null>;
  /** A request that led to nothing new. */
  recordRequest(unused: UnusedRequest): Promise<void>;
  /** Without its body. */
  findRequest(id: string): Promise<RequestRecord | null>;
  /** Null where it was not kept. */
  requestBody(id: string): Promise<Uint8Array | null>;
  /** The replays of these requests, in no order. */
  findReplays(ids: readonly string[]): Promise<Replay[]>;
  listRequests(page: Page): Promise<RequestRecord[]>;
  /** Counts a failed token for all nodes. */
  countFailure(failure: { address: string; windowMs: number }): Promise<FailureCount>;
};
