// The metrics port: what happened, told in plain calls. What is counted, and under which names, is `telemetry/`'s to say.
import type { ErrorCode } from "./errors.ts";
import type { EndStatus, RunKind } from "./run.ts";

/** How a hook request ended: an error's code, or one of three words for a 2xx. */
export type RequestCode = ErrorCode | "accepted" | "replayed" | "skipped";

export type DeliveryEnd = "sent" | "failed" | "unknown" | "suppressed";

export type Metrics = {
  /** The response to a hook request was sent. `hook` is the name in its path, known or not; empty without one. */
  requestEnded(hook: string, code: RequestCode, seconds: number): void;
  /** A request was stored: how long it waited for its commit. */
  requestStored(seconds: number): void;
  /** A token was missing or wrong, at a hook or at `/metrics`. */
  authFailed(): void;
  /** So many requests shared a commit. */
  groupWritten(size: number): void;
  /** A hook run begins for the first time. */
  runStarted(waitedSeconds: number): void;
  /** `seconds`: worked, over all attempts. */
  runEnded(run: { kind: RunKind; hook: string; agentId: string }, outcome: EndStatus, seconds: number): void;
  runRetried(hook: string): void;
  /** `seconds`: from its making; null when it was never tried. */
  deliveryEnded(channel: string, outcome: DeliveryEnd, seconds: number | null): void;
  deliveryRetried(channel: string): void;
  leaseLost(of: "run" | "delivery"): void;
};

export const noMetrics: Metrics = {
  requestEnded() {},
  requestStored() {},
  authFailed() {},
  groupWritten() {},
  runStarted() {},
  runEnded() {},
  runRetried() {},
  deliveryEnded() {},
  deliveryRetried() {},
  leaseLost() {},
};
