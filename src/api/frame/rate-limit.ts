// How many requests a caller may make in a minute, told in the header fields of draft-ietf-httpapi-ratelimit-headers.
import type { Clock } from "../../core/clock.ts";

export type Allowance = { allowed: boolean; remaining: number; resetSeconds: number };

export type RateLimit = { take(caller: string): Allowance };

export const requestsPerMinute = 600;
const windowMs = 60_000;
/** Callers are the token and the sessions of the console. */
const mostCallers = 10_000;

export function createRateLimit(clock: Pick<Clock, "monotonic">, most = requestsPerMinute): RateLimit {
  const windows = new Map<string, { endsAt: number; used: number }>();

  function windowOf(caller: string, now: number) {
    const known = windows.get(caller);
    if (known !== undefined && known.endsAt > now) return known;
    windows.delete(caller);
    if (windows.size >= mostCallers)
      for (const [each, { endsAt }] of windows) if (endsAt <= now) windows.delete(each);
    const opened = { endsAt: now + windowMs, used: 0 };
    windows.set(caller, opened);
    return opened;
  }

  return {
    take(caller) {
      const now = clock.monotonic();
      const window = windowOf(caller, now);
      const allowed = window.used < most;
      if (allowed) window.used++;
      const resetSeconds = Math.max(1, Math.ceil((window.endsAt - now) / 1000));
      return { allowed, remaining: most - window.used, resetSeconds };
    },
  };
}

export const rateHeaders = ({ remaining, resetSeconds }: Allowance): readonly string[] => [
  "RateLimit-Policy",
  `"requests";q=${requestsPerMinute};w=${windowMs / 1000}`,
  "RateLimit",
  `"requests";r=${remaining};t=${resetSeconds}`,
];
