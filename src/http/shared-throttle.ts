// Counts wrong tokens over all nodes. An address that this node limits already is not counted again. While the shared
// count fails or is slow, this node's own count decides.
import type { Clock } from "../core/clock.ts";
import type { Throttle } from "./throttle.ts";

export type FailureCounter = { fail(address: string): number | null | Promise<number | null> };

export type SharedCount = { failures: number; endsInMs: number };

export type SharedThrottleOptions = {
  local: Pick<Throttle, "fail" | "limit">;
  /** Counts a failure for all nodes and returns their number and when the window ends. */
  count: (address: string) => Promise<SharedCount>;
  max: () => number;
  clock: Clock;
};

const countTimeoutMs = 1000;
/** How long the shared count is not used after it failed. */
const awayMs = 5000;

export function createSharedThrottle({ local, count, max, clock }: SharedThrottleOptions): FailureCounter {
  let retryAt = -Infinity;

  async function countInTime(address: string): Promise<SharedCount | null> {
    const late = Promise.withResolvers<null>();
    const cancelTimer = clock.after(countTimeoutMs, () => late.resolve(null));
    const counted = await Promise.race([count(address).catch(() => null), late.promise]);
    cancelTimer();
    if (counted === null) retryAt = clock.monotonic() + awayMs;
    return counted;
  }

  async function failEverywhere(address: string): Promise<number | null> {
    const counted = await countInTime(address);
    if (counted === null || counted.failures <= max()) return null;
    local.limit(address, counted.endsInMs);
    return Math.max(1, Math.ceil(counted.endsInMs / 1000));
  }

  return {
    fail(address) {
      const seconds = local.fail(address);
      const isAway = clock.monotonic() < retryAt;
      return seconds !== null || isAway ? seconds : failEverywhere(address);
    },
  };
}
