// The messages between the gateway and a worker thread.
import type { MessagePort } from "node:worker_threads";
import type { TransformAction, TransformInput } from "../sdk/transform.ts";

/** Without `export`: the default export, then the one named `transform`. */
export type TransformReference = { module: string; export: string | null };

export type TransformCall = { input: TransformInput; action: TransformAction };

export type CallResult =
  | { kind: "kept" }
  | { kind: "skip" }
  | { kind: "changed"; value: Record<string, unknown> };

/** The reason is for the operator: one line, which may quote an error that the transform threw. */
export type TransformFault = { kind: "failed" | "timeout" | "busy"; reason: string };

/**
 * The modules as the first thread read them. Later threads get these and do not read the files again: a new pool loads
 * edited modules, all at once.
 */
export type Snapshot = {
  /** The address of each reference's module. */
  readonly entries: readonly string[];
  readonly modules: ReadonlyMap<string, ModuleSource>;
};

/** A module that was loaded by `require` has no format. */
export type ModuleSource = { readonly format: string | null | undefined; readonly source: string };

export type WorkerStart = {
  port: MessagePort;
  transformsDir: string;
  references: readonly TransformReference[];
  /** Null for the first thread. */
  snapshot: Snapshot | null;
};

/** `index` is that of the reference; `calls` is JSON of `TransformCall[]`. */
export type WorkerRequest = { index: number; calls: string };

export type ModuleFault = { index: number; message: string };

/** `loading` names the module at fault when no message follows; `results` is JSON of `CallResult[]`. */
export type WorkerMessage =
  | { kind: "loading"; index: number }
  | { kind: "unusable"; fault: ModuleFault }
  | { kind: "loaded"; snapshot: Snapshot }
  | { kind: "done"; results: string }
  | { kind: "failed"; reason: string };

const longestReason = 500;

/** Visible characters on one line. */
export const oneLine = (text: string): string =>
  text
    .replace(/[\s\p{C}]+/gu, " ")
    .trim()
    .slice(0, longestReason);
