// The metrics port: a call for each thing that happens. Names and kinds of the metrics are in `telemetry/`.
import type { ErrorCode } from "./errors.ts";
import type { CallResult } from "./sender.ts";
import type { UnreadableRow } from "./unreadable.ts";
import type { EndStatus, RunKind } from "./run.ts";

/** How a hook request ended: an error's code, or one of five words for what was no error. */
export type RequestCode = ErrorCode | "accepted" | "replayed" | "skipped" | "handshake" | "read";

export type DeliveryEnd = "sent" | "failed" | "unknown" | "suppressed";

export type Metrics = {
  /** The response to a hook request was sent. `hook` is the name in its path, known or not; empty without one. */
  requestEnded(hook: string, code: RequestCode, seconds: number): void;
  /** A request was stored; how long its commit took. */
  requestStored(seconds: number): void;
  /** A token was missing or wrong, at a hook or at `/metrics`. */
  authFailed(): void;
  /** A request to a sender's hook was not proven. */
  proofFailed(sender: string, reason: CallResult): void;
  /** How many requests shared a commit. */
  groupWritten(size: number): void;
  /** The first attempt of a hook run starts. */
  runStarted(waitedSeconds: number): void;
  /** `seconds`: the working time of all attempts. */
  runEnded(run: { kind: RunKind; hook: string; agentId: string }, outcome: EndStatus, seconds: number): void;
  runRetried(hook: string): void;
  /** `seconds`: since it was stored; null when it was never tried. */
  deliveryEnded(channel: string, outcome: DeliveryEnd, seconds: number | null): void;
  deliveryRetried(channel: string): void;
  leaseLost(of: "run" | "delivery"): void;
  /** A stored row cannot be read, and was set aside. */
  rowUnreadable(table: UnreadableRow["table"]): void;
};

export const noMetrics: Metrics = {
  requestEnded() {},
  requestStored() {},
  authFailed() {},
  proofFailed() {},
  groupWritten() {},
  runStarted() {},
  runEnded() {},
  runRetried() {},
  deliveryEnded() {},
  deliveryRetried() {},
  leaseLost() {},
  rowUnreadable() {},
};
