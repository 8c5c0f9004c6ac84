// Watches a worker thread's memory from the gateway's side. V8's own limit (`resourceLimits`) aborts the whole process
// when one large allocation exceeds it: an array of 40 MB is enough at a limit of 64. So V8's limit is set far higher,
// and the thread is ended long before it is reached.
import type { Worker } from "node:worker_threads";

export const memoryMb = 128;
/** The young generation is small, so that uncollected garbage stays far below `memoryMb`. */
export const heapLimits = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 16 };

const everyMs = 20;

/** Counts buffers, too. Returns a function that stops watching. */
export function watchMemory(worker: Worker, onExceeded: () => void): () => void {
  let timer: NodeJS.Timeout | null = setTimeout(check, everyMs);
  function check(): void {
    worker.getHeapStatistics().then(
      ({ used_heap_size: heap, external_memory: external }) => {
        if (timer === null) return;
        if (heap + external > memoryMb * 1024 * 1024) onExceeded();
        else timer = setTimeout(check, everyMs);
      },
      // The thread has ended.
      () => {},
    );
  }
  return () => {
    if (timer) clearTimeout(timer);
    timer = null;
  };
}
