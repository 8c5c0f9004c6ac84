// Room in the queue: a guard, not a promise. What waits is counted now and then; in between, what this node has
// accepted since is added to it. Counting costs what waits. One node alone has seen all that came, so it counts only
// before it says no: but for what runs, which can come to wait again, no more waits than it knows of. Of others it is
// thought that there are not many, and that they accept no more than it does; it counts again while they can have filled
// the queue.
import type { Clock } from "../core/clock.ts";
import type { Store } from "../store/ports/store.ts";

export type Room = {
  /** Whether this many more runs may wait, as far as is known. */
  has(runs: number): boolean;
  /** The same, looked for: what has begun or ended since makes room. */
  find(runs: number): Promise<boolean>;
  taken(runs: number): void;
  refresh(): Promise<void>;
};

/** How long a count stands: so many times as long as it took to make, within bounds. */
type Pace = { timesTaken: number; shortestMs: number; longestMs: number };
const nearlyFull: Pace = { timesTaken: 20, shortestMs: 1000, longestMs: 10_000 };
const halfEmpty: Pace = { timesTaken: 1000, shortestMs: 10_000, longestMs: 300_000 };
const usualNodes = 16;
/**
 * Before a refusal, a count stands for twenty times what counting so many takes at its slowest. Not for what the last one
 * took: a hiccup in counting two or three would have others refused for it.
 */
const refusingMs = (counted: number): number => Math.min(10_000, counted / 50);

const standsMs = ({ timesTaken, shortestMs, longestMs }: Pace, tookMs: number): number =>
  Math.min(longestMs, Math.max(shortestMs, timesTaken * tookMs));

export function createRoom(options: {
  store: Pick<Store, "countWaiting">;
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
  let counting: Promise<void> | null = null;

  const count = async (): Promise<void> => {
    countedAt = clock.now();
    const takenBefore = takenSince;
    try {
      counted = await store.countWaiting();
      takenSince -= takenBefore;
      tookMs = clock.now() - countedAt;
    } catch {
      // The store is away: the last count stands, and accepting will say so itself.
    }
  };
  /** One at a time: whoever asks meanwhile gets the one that is under way. */
  const refresh = (): Promise<void> => (counting ??= count().finally(() => (counting = null)));

  /** How long the last count stands while this node has since taken so many. */
  const standsFor = (mine: number): number => {
    const isNearlyFull = (taken: number): boolean => (counted + taken) * 2 > most();
    if (isNearlyFull(mine)) return standsMs(nearlyFull, tookMs);
    return isNearlyFull(mine * usualNodes) ? standsMs(halfEmpty, tookMs) : halfEmpty.longestMs;
  };
  const isOlderThan = (ageMs: number): boolean => clock.now() - countedAt >= ageMs;
  const fits = (runs: number): boolean => counted + takenSince + runs <= most();

  return {
    has(runs) {
      if (isShared && isOlderThan(standsFor(takenSince + runs))) void refresh();
      return fits(runs);
    },
    async find(runs) {
      if (counting || isOlderThan(refusingMs(counted))) await refresh();
      return fits(runs);
    },
    taken(runs) {
      takenSince += runs;
    },
    refresh,
  };
}
