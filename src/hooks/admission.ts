// Decides whether more runs may wait, by an estimate: the last count of the queue plus the runs this node has accepted
// since. Counting takes longer the more runs wait, so it is done rarely. A node with a store of its own sees every
// acceptance: its estimate misses only runs that wait again after a failed attempt, and it counts only before a
// refusal. On a shared store, a node assumes at most 16 nodes, each accepting as fast as this one, and counts again as
// soon as they could have filled the queue.
import type { Clock } from "../core/clock.ts";
import { type Refusal, refuse } from "../core/errors.ts";
import type { Store } from "../store/ports/store.ts";

export type Admission = {
  /** Whether this many more runs may wait, by the present estimate. */
  admits(runs: number): boolean;
  /** Counts the waiting runs, unless the last count is recent enough to refuse by. Call it before a refusal. */
  recount(): Promise<void>;
  /** This many more runs have been stored. */
  admitted(runs: number): void;
};

export type AdmissionOptions = {
  store: Pick<Store, "countWaiting">;
  clock: Clock;
  maxWaiting: () => number;
  /** Whether other nodes accept, too. */
  isShared: boolean;
};

/** How long a count is used: a multiple of the time it took, within bounds. */
type Freshness = { factor: number; minMs: number; maxMs: number };
const nearlyFull: Freshness = { factor: 20, minMs: 1000, maxMs: 10_000 };
const halfEmpty: Freshness = { factor: 1000, minMs: 10_000, maxMs: 300_000 };
const assumedNodes = 16;

const freshMs = ({ factor, minMs, maxMs }: Freshness, tookMs: number): number =>
  Math.min(maxMs, Math.max(minMs, factor * tookMs));

/**
 * How long requests may be refused by a count: twenty times the slowest time for counting so many runs. The time that
 * the last count took is not used here: one slow count of two or three runs would refuse many requests.
 */
const refusableMs = (counted: number): number => Math.min(10_000, counted / 50);

export const queueFull = (): Refusal => refuse("queue-full", { retryAfterSeconds: 30 });

export function createAdmission({ store, clock, maxWaiting, isShared }: AdmissionOptions): Admission {
  let counted = 0;
  let admittedSince = 0;
  let countedAt = -Infinity;
  let tookMs = 0;
  let counting: Promise<void> | null = null;

  const count = async (): Promise<void> => {
    countedAt = clock.monotonic();
    const admittedBefore = admittedSince;
    try {
      counted = await store.countWaiting();
      admittedSince -= admittedBefore;
      tookMs = clock.monotonic() - countedAt;
    } catch {
      // The store is away: the last count stays in use, and the attempt to store a request will report it.
    }
  };
  /** One count at a time: calls during a count share it. */
  const countOnce = (): Promise<void> => (counting ??= count().finally(() => (counting = null)));

  /** How long the last count is used when this node has accepted `mine` runs since. */
  const usableMs = (mine: number): number => {
    const isHalfFull = (accepted: number): boolean => (counted + accepted) * 2 > maxWaiting();
    if (isHalfFull(mine)) return freshMs(nearlyFull, tookMs);
    return isHalfFull(mine * assumedNodes) ? freshMs(halfEmpty, tookMs) : halfEmpty.maxMs;
  };
  const isOlderThan = (ageMs: number): boolean => clock.monotonic() - countedAt >= ageMs;

  return {
    admits(runs) {
      if (runs === 0) return true;
      if (isShared && isOlderThan(usableMs(admittedSince + runs))) void countOnce();
      return counted + admittedSince + runs <= maxWaiting();
    },
    async recount() {
      if (counting || isOlderThan(refusableMs(counted))) await countOnce();
    },
    admitted(runs) {
      admittedSince += runs;
    },
  };
}
