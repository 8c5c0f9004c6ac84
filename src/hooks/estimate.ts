// An estimate of how much waits: the last count plus what this node has accepted since. Counting takes longer the more
// there is, so it is done rarely. A node with a store of its own sees every acceptance: its estimate misses only what
// comes to wait in another way, such as runs after a failed attempt and their summaries, and it counts only before a
// refusal. On a shared store, a node assumes at most 16 nodes, each accepting as fast as this one, and counts again as
// soon as they could have reached the limit.
import type { Clock } from "../core/clock.ts";

export type Estimate = {
  /** Whether this much more may wait, by the present estimate. */
  admits(more: number): boolean;
  /** Counts what waits, unless the last count is recent enough to refuse by. Call it before a refusal. */
  recount(): Promise<void>;
  /** This much more has been stored. */
  admitted(more: number): void;
};

export type EstimateOptions = {
  count: () => Promise<number>;
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

export function createEstimate({ count: read, clock, maxWaiting, isShared }: EstimateOptions): Estimate {
  let counted = 0;
  let admittedSince = 0;
  let countedAt = -Infinity;
  let tookMs = 0;
  let counting: Promise<void> | null = null;

  const count = async (): Promise<void> => {
    countedAt = clock.monotonic();
    const admittedBefore = admittedSince;
    try {
      counted = await read();
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
    admits(more) {
      if (more === 0) return true;
      if (isShared && isOlderThan(usableMs(admittedSince + more))) void countOnce();
      return counted + admittedSince + more <= maxWaiting();
    },
    async recount() {
      if (counting || isOlderThan(refusableMs(counted))) await countOnce();
    },
    admitted(more) {
      admittedSince += more;
    },
  };
}
