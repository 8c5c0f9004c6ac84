// The messages between the gateway and a process that runs transforms.
import type { TransformAction, TransformInput } from "../sdk/transform.ts";

/** Without `export`: the default export, then the one named `transform`. */
export type TransformReference = { module: string; export: string | null };

export type TransformCall = { input: TransformInput; action: TransformAction };

export type CallResult =
  | { kind: "kept" }
  | { kind: "skip" }
  | { kind: "changed"; value: Record<string, unknown> };

/** `busy` and `stopping` pass: the same request can succeed later. The reason is for the operator: one line, which may quote an error that the transform threw. */
export type TransformFault = { kind: "failed" | "timeout" | "busy" | "stopping"; reason: string };

/**
 * The modules as the first process read them. Later ones get these and do not read the files again: a new pool loads
 * edited modules, all at once.
 */
export type Snapshot = {
  /** The address of each reference's module. */
  readonly entries: readonly string[];
  readonly modules: readonly (readonly [url: string, module: ModuleSource])[];
};

/** A module that was loaded by `require` has no format. */
export type ModuleSource = { readonly format?: string | null | undefined; readonly source: string };

/** The first message to a process. */
export type ProcessStart = {
  /** Its messages carry this key, in hexadecimal. */
  key: string;
  transformsDir: string;
  references: readonly TransformReference[];
  /** Null for the first process. */
  snapshot: Snapshot | null;
};

/** Each later message to a process: one call of the transform at `index` in the references. */
export type ProcessCall = {
  /** The response names it, so that a late one is not taken for the next call's. */
  sequence: number;
  index: number;
  /** The largest result, in bytes of JSON. */
  room: number;
  call: TransformCall;
};

export type ModuleFault = { index: number; message: string };

/** `ms` is how long the call took there. `loading` names the module at fault when no message follows; `stray` comes before the process ends. */
export type ProcessMessage =
  | { kind: "loading"; index: number }
  | { kind: "unusable"; fault: ModuleFault }
  | { kind: "loaded"; snapshot: Snapshot | null }
  | { kind: "done"; sequence: number; ms: number; result: CallResult }
  | { kind: "failed"; sequence: number; reason: string }
  | { kind: "stray"; reason: string };

/** By how much the results of a request may be larger than its calls. */
export const resultMarginBytes = 8 * 1024 * 1024;
export const stopping: TransformFault = { kind: "stopping", reason: "the gateway is stopping" };
export const tooLarge = "its result is larger than its input by more than 8 MB";

const longestReason = 500;

/** Visible characters on one line. */
export const oneLine = (text: string): string =>
  text
    .slice(0, 4 * longestReason)
    .replace(/[\s\p{C}]+/gu, " ")
    .trim()
    .slice(0, longestReason);
