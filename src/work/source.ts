// Claims from the store, with a back-off while the store is unavailable.
import { faultKind } from "../core/errors.ts";
import type { Claim } from "../core/lease.ts";
import type { Log } from "../core/log.ts";
import { backOffMs } from "../core/retry.ts";

export type SourceOptions<T> = {
  /** What is claimed, for the log. */
  name: string;
  log: Log;
  pollMs: number;
  random: () => number;
  claim: (limit: number) => Promise<Claim<T>>;
};

export type Source<T> = {
  /** Never rejects. `restMs`: when to claim again if nothing else happens. */
  claim(limit: number): Promise<{ claimed: readonly T[]; restMs: number }>;
  /** The last claim failed. */
  isAway(): boolean;
};

const shortestRestMs = 10;
const awayBackOff = { firstMs: 200, longestMs: 5000 };

export function createSource<T>({ name, log, pollMs, random, claim }: SourceOptions<T>): Source<T> {
  let failures = 0;
  return {
    async claim(limit) {
      try {
        const { claimed, nextInMs } = await claim(limit);
        if (failures > 0) log.info(`${name} can be claimed again`, { count: failures });
        failures = 0;
        return { claimed, restMs: Math.max(shortestRestMs, Math.min(nextInMs ?? pollMs, pollMs)) };
      } catch (fault) {
        if (failures++ === 0) log.warn(`${name} cannot be claimed now`, { kind: faultKind(fault) });
        return { claimed: [], restMs: backOffMs(failures, awayBackOff, random()) };
      }
    },
    isAway: () => failures > 0,
  };
}
