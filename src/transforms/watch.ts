// Watches a process while it works: for how long, and how much memory it uses, where the system shows that (Linux).
// V8's own limit counts no buffers, and the system's limit (`command.ts`) is a last resort.
import { readFileSync } from "node:fs";
import type { TransformFault } from "./call.ts";

export const memoryMb = 128;
export const tooMuchMemory = `it used more than ${memoryMb} MB of memory`;

/** What Node itself takes, and the young generation. */
const ownMb = 64;
const everyMs = 20;

export type Watch = {
  /** Starts to count the time anew. */
  start(limitMs: number): void;
  stop(): void;
};

export function createWatch(pid: number, onExceeded: (fault: TransformFault) => void): Watch {
  let timer: NodeJS.Timeout | null = null;
  let startedAt = 0;
  let limitMs = 0;

  const stop = (): void => {
    if (timer) clearInterval(timer);
    timer = null;
  };
  const isLate = (): boolean => timer !== null && performance.now() - startedAt > limitMs;
  const exceed = (fault: TransformFault): void => {
    stop();
    onExceeded(fault);
  };
  // A result may have arrived while the gateway was too busy to read it: it is read first.
  const endIfLate = (): void => {
    if (isLate()) exceed({ kind: "timeout", reason: `it took longer than ${limitMs} ms` });
  };
  const check = (): void => {
    if (privateKilobytes(pid) > (memoryMb + ownMb) * 1024) exceed({ kind: "failed", reason: tooMuchMemory });
    else if (isLate()) setImmediate(endIfLate);
  };

  return {
    start(newLimitMs) {
      startedAt = performance.now();
      limitMs = newLimitMs;
      timer ??= setInterval(check, everyMs);
    },
    stop,
  };
}

/** Memory that it shares with no other process and no file. 0 where the system does not say. */
function privateKilobytes(pid: number): number {
  try {
    return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
