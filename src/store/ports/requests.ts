// Requests: what was asked of us, and what became of it.
import type { FirstAttempt } from "../../core/attempt.ts";
import type { Acceptance, Accepted, Idempotency, Repeated, RequestRecord } from "../../core/request.ts";
import type { Page } from "./page.ts";

/** How often an address has failed in its window, and when that ends. */
export type FailureCount = { failures: number; endsInMs: number };

export type Requests = {
  /** With `first`, the single isolated run of an acceptance is stored as started, where its budget allows that. */
  accept(acceptance: Acceptance, first?: FirstAttempt): Promise<Accepted>;
  /** Of a request that would not be stored now: null when none with its key was. */
  findRepeated(hook: string, idempotency: Idempotency): Promise<Repeated | null>;
  recordRequest(record: Omit<RequestRecord, "createdAt">): Promise<void>;
  listRequests(page: Page): Promise<RequestRecord[]>;
  /** Counts a failed token for all nodes. Failures that come together are written together. */
  countFailure(failure: { address: string; windowMs: number }): Promise<FailureCount>;
};
