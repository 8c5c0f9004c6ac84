// Work of known size that must not hold the event loop: only so much is done in one turn of it, and what is more than
// that in a thread.
import { createThread, type ThreadOptions } from "./thread.ts";

export type PacedWork<Job> = {
  /** Null when it is too much for this turn of the event loop. */
  now<Result>(effort: number, here: () => Result): Result | null;
  /** `here` does the job on this thread: when it is small, or when the other thread could not do it. */
  run<Result>(effort: number, job: Job, here: () => Result): Promise<Result>;
  close(): Promise<void>;
};

export type PacedOptions = ThreadOptions & { readonly mostAtOnce: number };

export function createPacedWork<Job>({ mostAtOnce, ...options }: PacedOptions): PacedWork<Job> {
  const thread = createThread<Job, unknown>(options);
  const turns = createTurns(mostAtOnce);
  let isClosed = false;
  return {
    now: (effort, here) => (effort <= mostAtOnce && turns.take(effort) ? here() : null),
    async run<Result>(effort: number, job: Job, here: () => Result) {
      if (effort > mostAtOnce) {
        const result = await thread.run(job);
        if (result !== null) return result as Result;
        if (isClosed) throw new Error("the gateway stops");
      }
      while (!turns.take(effort)) await turns.next();
      return here();
    },
    close() {
      isClosed = true;
      return thread.close();
    },
  };
}

/** What is left of a turn of the event loop. The first to take gets what it needs. */
function createTurns(most: number) {
  let taken = 0;
  const next = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    next,
    take(effort: number): boolean {
      if (taken > 0 && taken + effort > most) return false;
      if (taken === 0 && effort > 0) void next().then(() => (taken = 0));
      taken += effort;
      return true;
    },
  };
}
