// A worker thread's memory, watched from the gateway's side. V8 has a limit of its own (`resourceLimits`), but when one
// large allocation meets that limit, V8 aborts the whole process, gateway and all: an array of 40 MB is enough for a
// limit of 64. So V8's limit is far away, and the thread is ended long before it.
import type { Worker } from "node:worker_threads";

export const memoryMb = 128;
/** With a small young generation, garbage that is not collected yet stays far below `memoryMb`. */
export const heapLimits = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 16 };

const everyMs = 20;

/** Buffers count too. Returns what ends the watch. */
export function watchMemory(worker: Worker, onExceeded: () => void): () => void {
  let timer: NodeJS.Timeout | null = setTimeout(look, everyMs);
  function look(): void {
    worker.getHeapStatistics().then(
      ({ used_heap_size: heap, external_memory: external }) => {
        if (timer === null) return;
        if (heap + external > memoryMb * 1024 * 1024) onExceeded();
        else timer = setTimeout(look, everyMs);
      },
      // It has ended.
      () => {},
    );
  }
  return () => {
    if (timer) clearTimeout(timer);
    timer = null;
  };
}
