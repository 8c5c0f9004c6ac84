// Room in the queue: a guard, not a promise. What waits is counted now and then; in between, what this node has
// accepted since is added to it. Counting costs what waits: it is seldom done while the queue is far from full, and the
// longer it takes, the longer it is left alone. What a node cannot have missed it need not count: one that is alone has
// seen all that came; of others it is thought that there are not many, and that they accept no more than it does.
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
const usualNodes = 16;

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

  /** How long the last count stands while this node has since taken so many. */
  const standsFor = (mine: number): number => {
    const isNearlyFull = (taken: number): boolean => (counted + taken) * 2 > most();
    if (isNearlyFull(mine)) return standsMs(nearlyFull, tookMs);
    if (!isShared) return Infinity;
    return isNearlyFull(mine * usualNodes) ? standsMs(halfEmpty, tookMs) : halfEmpty.longestMs;
  };

  return {
    has(runs) {
      const mine = takenSince + runs;
      if (clock.now() - countedAt >= standsFor(mine)) void refresh();
      return counted + mine <= most();
    },
    taken(runs) {
      takenSince += runs;
    },
    refresh,
  };
}
