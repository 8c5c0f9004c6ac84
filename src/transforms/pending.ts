// The result that the gateway awaits from a worker thread: one at a time, with a limit of time and memory.
import type { Worker } from "node:worker_threads";
import type { TransformFault, WorkerMessage } from "./call.ts";
import { memoryMb, watchMemory } from "./memory.ts";

export type WorkerResult = Extract<WorkerMessage, { kind: "loaded" | "done" }> | TransformFault;

export type PendingResult = {
  /** Resolves with what `settle` gets, or with the limit that was exceeded. */
  wait(limitMs: number): Promise<WorkerResult>;
  /** Does nothing when no result is awaited. */
  settle(result: WorkerResult): void;
};

export const tooMuchMemory = `it used more than ${memoryMb} MB of memory`;

type LimitHooks = {
  /** Called before a limit counts: a result may have arrived unread. It may settle. */
  beforeLimit: () => void;
  /** Called after a limit was exceeded. */
  onLimit: () => void;
};

export function createPendingResult(worker: Worker, { beforeLimit, onLimit }: LimitHooks): PendingResult {
  let pending: ((result: WorkerResult) => void) | null = null;
  const settle = (result: WorkerResult): void => pending?.(result);
  const giveUp = (fault: TransformFault): void => {
    beforeLimit();
    if (pending === null) return;
    settle(fault);
    onLimit();
  };
  return {
    wait(limitMs) {
      const { promise, resolve } = Promise.withResolvers<WorkerResult>();
      const late: TransformFault = { kind: "timeout", reason: `it took longer than ${limitMs} ms` };
      const timer = setTimeout(giveUp, limitMs, late);
      const stopWatching = watchMemory(worker, () => giveUp({ kind: "failed", reason: tooMuchMemory }));
      pending = (result) => {
        pending = null;
        clearTimeout(timer);
        stopWatching();
        resolve(result);
      };
      return promise;
    },
    settle,
  };
}
