// Room in the queue: a guard, not a promise. What waits is counted now and then; in between, what this node has
// accepted since is added to it. Counting costs what waits, so it is seldom done while the queue is far from full.
import type { Clock } from "../core/clock.ts";
import type { Store } from "./store.ts";

export type Room = {
  /** Whether this many more runs may wait. */
  has(runs: number): boolean;
  taken(runs: number): void;
  refresh(): Promise<void>;
};

const nearlyFullMs = 1000;
const halfEmptyMs = 10_000;

export function createRoom(options: {
  store: Pick<Store, "countUnfinished">;
  clock: Clock;
  most: () => number;
}): Room {
  const { store, clock, most } = options;
  let counted = 0;
  let takenSince = 0;
  let countedAt = -Infinity;

  const refresh = async (): Promise<void> => {
    countedAt = clock.now();
    const takenBefore = takenSince;
    try {
      counted = await store.countUnfinished();
      takenSince -= takenBefore;
    } catch {
      // The store is away: the last count stands, and accepting will say so itself.
    }
  };

  return {
    has(runs) {
      const wanted = counted + takenSince + runs;
      const freshMs = wanted * 2 > most() ? nearlyFullMs : halfEmptyMs;
      if (clock.now() - countedAt >= freshMs) void refresh();
      return wanted <= most();
    },
    taken(runs) {
      takenSince += runs;
    },
    refresh,
  };
}
