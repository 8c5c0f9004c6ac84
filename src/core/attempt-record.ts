// What is kept of each attempt of a run, and of the tools that its agent called.
import type { EndStatus } from "./run.ts";

/** A call of a tool, as its agent told it. Times are relative to the beginning of the attempt. */
export type ToolCall = {
  readonly name: string;
  readonly atMs: number;
  /** Null: it had not ended when the attempt did. */
  readonly tookMs: number | null;
  readonly ok: boolean | null;
  /** Only with `agents.keepToolCalls`. */
  readonly input: string | null;
  readonly output: string | null;
};

/** What is kept of an attempt that has ended. Made in `runner/`, stored with the settlement. */
export type NewAttemptRecord = {
  /** Which attempt of its run. A released one does not count, so the next attempt has its number and takes its place. */
  readonly number: number;
  /** The gateway process that made it. */
  readonly node: string;
  readonly workedMs: number;
  readonly outcome: AttemptEnd;
  readonly reason: string | null;
  readonly toolCalls: readonly ToolCall[];
};

/** `retry`: it failed, and the run is tried again. */
export type AttemptEnd = EndStatus | "retry" | "released";

export type AttemptRecord = Omit<NewAttemptRecord, "workedMs"> & {
  runId: string;
  startedAt: number;
  endedAt: number;
  nextTryAt: number | null;
};
