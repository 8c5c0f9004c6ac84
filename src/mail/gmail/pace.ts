// Keeps calls below a quota: a caller who needs more units than are left waits until enough have come back.
import { largest } from "../../core/largest.ts";
import type { Clock } from "../../core/clock.ts";

/** Resolves when the units may be used; rejects with the signal's reason. */
export type Pace = (units: number, signal: AbortSignal) => Promise<void>;

/** Per user: the least that Google gives any project (6,000 a minute since May 2026), and at most 250 in a second. */
export const gmailQuota = { perSecond: 250, perMinute: 6000 };

export function createPace(clock: Clock, { perSecond, perMinute } = gmailQuota): Pace {
  const buckets = [createBucket(perSecond, 1000, 1 / 2), createBucket(perMinute, 60_000, 1 / 6)];
  let filledAt = clock.monotonic();

  function fill(): void {
    const passedMs = clock.monotonic() - filledAt;
    filledAt = clock.monotonic();
    for (const bucket of buckets)
      bucket.level = Math.min(bucket.size, bucket.level + passedMs * bucket.perMs);
  }

  return async (units, signal) => {
    signal.throwIfAborted();
    fill();
    for (const bucket of buckets) bucket.level -= units;
    const waitMs = largest(buckets.map(({ level, perMs }) => (level < 0 ? -level / perMs : 0)));
    if (waitMs > 0) await sleep(clock, waitMs, signal);
  };
}

/** The units usable at once (`share`) and those that come back within the time never exceed the quota together. */
const createBucket = (units: number, withinMs: number, share: number) => ({
  level: units * share,
  size: units * share,
  perMs: (units * (1 - share)) / withinMs,
});

export const sleep = (clock: Clock, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      cancelTimer();
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is the aborter's own
      reject(signal.reason);
    };
    const cancelTimer = clock.after(ms, () => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
