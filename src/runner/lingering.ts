// Agents that were stopped but may still be running: a clean stop waits a little for them.
import type { Clock } from "../core/clock.ts";

/** A little longer than the grace period of command agents. */
const lingerMs = 6000;

export type Lingering = {
  /** `work` settles when the agent has ended. It never rejects. */
  add(work: Promise<unknown>): void;
  ended(): Promise<void>;
};

export function createLingering(clock: Clock): Lingering {
  const unfinished = new Set<Promise<unknown>>();
  return {
    add(work) {
      const each = work.finally(() => unfinished.delete(each));
      unfinished.add(each);
    },
    async ended() {
      if (unfinished.size === 0) return;
      const timeUp = Promise.withResolvers<void>();
      const cancelTimer = clock.after(lingerMs, timeUp.resolve);
      await Promise.race([Promise.all(unfinished), timeUp.promise]);
      cancelTimer();
    },
  };
}
