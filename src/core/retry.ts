// Back-off: jitter under a growing ceiling.

export type BackOff = {
  firstMs: number;
  longestMs: number;
  /** The ceiling grows by this each time. Default 2. */
  factor?: number;
  /** True: at least half the ceiling, so that the sum of the waits is known roughly. Default: half the first delay. */
  half?: boolean;
};

/** `attempt` counts from 1; `random` is in [0, 1). */
export function backOffMs(attempt: number, backOff: BackOff, random: number): number {
  const { firstMs, longestMs, factor = 2, half = false } = backOff;
  const ceiling = Math.min(longestMs, firstMs * factor ** (attempt - 1));
  const least = (half ? ceiling : firstMs) / 2;
  return Math.round(least + random * Math.max(0, ceiling - least));
}

/** No other side makes us wait longer than this, or than our own longest back-off. */
const longestAskedMs = 3_600_000;

/** No retry of anything waits longer than this. */
export const longestRetryMs = longestAskedMs + 1000;

/**
 * The wait where the other side may have asked for one (`Retry-After`): our back-off, or longer where it asks for more,
 * plus up to a second, so that those who were told the same moment do not come back together. What it asks for is a
 * stranger's number: zero, a negative one or none at all makes no wait shorter, and none is longer than the cap.
 */
export function retryWaitMs(
  attempt: number,
  askedMs: number | null | undefined,
  backOff: BackOff,
  random: number,
): number {
  const own = backOffMs(attempt, backOff, random);
  if (askedMs === null || askedMs === undefined || !(askedMs > 0)) return own;
  const asked = Math.min(askedMs, Math.max(longestAskedMs, backOff.longestMs));
  return Math.max(own, Math.ceil(asked + random * Math.min(asked, 1000)));
}
