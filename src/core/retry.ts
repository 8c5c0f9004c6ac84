// Back-off: full jitter under a doubling ceiling.

export type BackOff = { firstMs: number; longestMs: number };

/** `attempt` counts from 1; `random` is in [0, 1). At least half the first delay. */
export function backOffMs(attempt: number, { firstMs, longestMs }: BackOff, random: number): number {
  const ceiling = Math.min(longestMs, firstMs * 2 ** (attempt - 1));
  return Math.round(firstMs / 2 + random * Math.max(0, ceiling - firstMs / 2));
}
