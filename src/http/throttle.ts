// Limits wrong tokens by client address: so many failures are allowed in a window that starts with the first one.
import { secondsToMs } from "../core/duration.ts";
import type { Clock } from "../core/clock.ts";
import { createFailureTable, type Entry } from "./failure-table.ts";

export type ThrottleLimits = { max: number; windowSeconds: number; capacity?: number };

export type Throttle = {
  /** Counts a failure. Null while it is one of the allowed; else how many seconds the address has to wait. */
  fail(address: string): number | null;
  /** How many seconds the address has to wait; null when it is not limited. */
  limited(address: string): number | null;
  /** Limits an address that failed too often at other nodes. */
  limit(address: string, forMs: number): void;
  configure(limits: { max: number; windowSeconds: number }): void;
  /** How many addresses are remembered. */
  size(): number;
};

export function createThrottle(limits: ThrottleLimits, clock: Pick<Clock, "monotonic">): Throttle {
  let max = limits.max;
  let windowMs = secondsToMs(limits.windowSeconds);
  const table = createFailureTable(limits.capacity ?? 10_000, () => windowMs);
  const secondsLeft = ({ endsAt }: Entry, now: number): number =>
    Math.max(1, Math.ceil((endsAt - now) / 1000));
  return {
    fail(address) {
      const now = clock.monotonic();
      const entry = table.entryFor(address, now);
      entry.failures++;
      if (entry.failures <= max) return null;
      table.limit(address);
      return secondsLeft(entry, now);
    },
    limited(address) {
      const now = clock.monotonic();
      const entry = table.find(address, now);
      return entry !== null && entry.failures >= max ? secondsLeft(entry, now) : null;
    },
    limit(address, forMs) {
      const now = clock.monotonic();
      const entry = table.entryFor(address, now);
      entry.failures = Math.max(entry.failures, max + 1);
      entry.endsAt = now + Math.min(forMs, windowMs);
      table.limit(address);
    },
    configure(next) {
      max = next.max;
      windowMs = secondsToMs(next.windowSeconds);
    },
    size: table.size,
  };
}
