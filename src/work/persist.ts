// Retries a write while the store is unavailable, so that no outcome is lost.
import type { Clock } from "../core/clock.ts";
import { StoreUnavailable } from "../core/errors.ts";
import { backOffMs } from "../core/retry.ts";

const awayBackOff = { firstMs: 200, longestMs: 5000 };

/** Retries until the store responds, or resolves with "given-up" once `giveUp` returns true. Passes on other faults. */
export async function untilStored<T>(
  store: () => Promise<T>,
  { clock, giveUp, random = Math.random }: { clock: Clock; giveUp: () => boolean; random?: () => number },
): Promise<T | "given-up"> {
  for (let attempt = 1; ; attempt++) {
    if (giveUp()) return "given-up";
    try {
      return await store();
    } catch (fault) {
      if (!(fault instanceof StoreUnavailable)) throw fault;
    }
    const delayMs = backOffMs(attempt, awayBackOff, random());
    await new Promise<void>((wake) => void clock.after(delayMs, wake));
  }
}
