// Failed tokens counted over all nodes. This node's own count comes first: an address that it already limits costs
// nothing more. When the shared count is away, or slow, this node's own is what counts.
import type { Clock } from "../core/clock.ts";
import type { Throttle } from "./throttle.ts";

export type FailureCounter = { fail(address: string): number | null | Promise<number | null> };

export type SharedCount = { failures: number; endsInMs: number };

export type SharedThrottleOptions = {
  local: Pick<Throttle, "fail" | "limit">;
  /** Counts a failure for all nodes, and answers how many there were and when their window ends. */
  count: (address: string) => Promise<SharedCount>;
  max: () => number;
  clock: Clock;
};

const slowestMs = 1000;
/** After a failure, for how long it is not asked again. */
const awayMs = 5000;

export function createSharedThrottle({ local, count, max, clock }: SharedThrottleOptions): FailureCounter {
  let askAgainAt = -Infinity;

  async function countInTime(address: string): Promise<SharedCount | null> {
    const late = Promise.withResolvers<null>();
    const takeBack = clock.after(slowestMs, () => late.resolve(null));
    const counted = await Promise.race([count(address).catch(() => null), late.promise]);
    takeBack();
    if (counted === null) askAgainAt = clock.now() + awayMs;
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
      const isAway = clock.now() < askAgainAt;
      return seconds !== null || isAway ? seconds : failEverywhere(address);
    },
  };
}
