// Failed tokens counted per client address, in a table that cannot grow without end.
//
//   unknown ──fail──▶ counting ──more than max──▶ limited ──window over──▶ unknown
//
// A window begins with its first failure. To make room only counting addresses are forgotten, oldest first; when
// all are limited, further addresses share one entry.
import type { Clock } from "../core/clock.ts";

export type ThrottleLimits = { max: number; windowSeconds: number; capacity?: number };

export type Throttle = {
  /** Counts a failure. Null while it is one of the allowed; else how many seconds the address has to wait. */
  fail(address: string): number | null;
  /** Others have seen the address fail too often: it is limited here as well. */
  limit(address: string, forMs: number): void;
  configure(limits: { max: number; windowSeconds: number }): void;
  /** How many addresses are remembered. */
  size(): number;
};

type Entry = { failures: number; endsAt: number };

const sweepEveryMs = 1_000;

export function createThrottle(limits: ThrottleLimits, clock: Pick<Clock, "now">): Throttle {
  const capacity = limits.capacity ?? 10_000;
  // Several at once: a map whose first entry is taken out again and again gets slow to begin.
  const batch = Math.max(1, Math.floor(capacity / 64));
  let max = limits.max;
  let windowMs = limits.windowSeconds * 1000;
  // Windows are equally long, so the order of insertion is the order of expiry.
  const counting = new Map<string, Entry>();
  const limited = new Map<string, Entry>();
  let shared: Entry | null = null;
  let sweptAt = -Infinity;

  /** Also over when the clock was set back: no window lies further ahead than its length. */
  const isOver = (entry: Entry, now: number): boolean => entry.endsAt <= now || entry.endsAt > now + windowMs;
  const isFull = (): boolean => counting.size + limited.size >= capacity;

  function find(address: string, now: number): Entry | null {
    const table = limited.has(address) ? limited : counting;
    const entry = table.get(address);
    if (entry === undefined) return null;
    if (!isOver(entry, now)) return entry;
    table.delete(address);
    return null;
  }

  function makeRoom(now: number): boolean {
    let dropped = 0;
    for (const [address, entry] of counting) {
      if (dropped >= batch && !isOver(entry, now)) break;
      counting.delete(address);
      dropped++;
    }
    if (!isFull()) return true;
    if (Math.abs(now - sweptAt) < sweepEveryMs) return false;
    sweptAt = now;
    for (const [address, entry] of limited) if (isOver(entry, now)) limited.delete(address);
    return !isFull();
  }

  const begin = (now: number): Entry => ({ failures: 0, endsAt: now + windowMs });

  function entryFor(address: string, now: number): Entry {
    const known = find(address, now);
    if (known !== null) return known;
    if (isFull() && !makeRoom(now)) {
      if (shared === null || isOver(shared, now)) shared = begin(now);
      return shared;
    }
    const entry = begin(now);
    counting.set(address, entry);
    return entry;
  }

  return {
    fail(address) {
      const now = clock.now();
      const entry = entryFor(address, now);
      entry.failures++;
      if (entry.failures <= max) return null;
      if (counting.delete(address)) limited.set(address, entry);
      return Math.max(1, Math.ceil((entry.endsAt - now) / 1000));
    },
    limit(address, forMs) {
      const now = clock.now();
      const entry = entryFor(address, now);
      entry.failures = Math.max(entry.failures, max + 1);
      entry.endsAt = now + Math.min(forMs, windowMs);
      if (counting.delete(address)) limited.set(address, entry);
    },
    configure(next) {
      max = next.max;
      windowMs = next.windowSeconds * 1000;
    },
    size: () => counting.size + limited.size,
  };
}
