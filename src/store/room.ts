// Room in the queue: a guard, not a promise. What waits is counted now and then; in between, what this node has
// accepted since is added to it. Counting costs what waits: it is seldom done while the queue is far from full, and the
// longer it takes, the longer it is left alone. A node that is the only one cannot have missed any: far from full, it
// need not count at all.
import type { Clock } from "../core/clock.ts";
import type { Store } from "./store.ts";

export type Room = {
  /** Whether this many more runs may wait. */
  has(runs: number): boolean;
  taken(runs: number): void;
  refresh(): Promise<void>;
};

/** How long a count stands: so many times as long as it took to make, within bounds. */
type Pace = { timesTaken: number; shortestMs: number; longestMs: number };
const nearlyFull: Pace = { timesTaken: 20, shortestMs: 1000, longestMs: 10_000 };
const halfEmpty: Pace = { timesTaken: 1000, shortestMs: 10_000, longestMs: 300_000 };

const standsMs = ({ timesTaken, shortestMs, longestMs }: Pace, tookMs: number): number =>
  Math.min(longestMs, Math.max(shortestMs, timesTaken * tookMs));

export function createRoom(options: {
  store: Pick<Store, "countUnfinished">;
  clock: Clock;
  most: () => number;
  /** Whether other nodes accept, too. */
  isShared: boolean;
}): Room {
  const { store, clock, most, isShared } = options;
  let counted = 0;
  let takenSince = 0;
  let countedAt = -Infinity;
  let tookMs = 0;

  const refresh = async (): Promise<void> => {
    countedAt = clock.now();
    const takenBefore = takenSince;
    try {
      counted = await store.countUnfinished();
      takenSince -= takenBefore;
      tookMs = clock.now() - countedAt;
    } catch {
      // The store is away: the last count stands, and accepting will say so itself.
    }
  };

  return {
    has(runs) {
      const wanted = counted + takenSince + runs;
      const isNearlyFull = wanted * 2 > most();
      const stands = standsMs(isNearlyFull ? nearlyFull : halfEmpty, tookMs);
      if ((isNearlyFull || isShared) && clock.now() - countedAt >= stands) void refresh();
      return wanted <= most();
    },
    taken(runs) {
      takenSince += runs;
    },
    refresh,
  };
}
