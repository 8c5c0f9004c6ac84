// Google's public keys, kept for a while. An unknown id makes us look again, but not often.
import type { KeyObject } from "node:crypto";
import type { Clock } from "../../core/clock.ts";
import { type FindKey, keysIn } from "./oidc.ts";
import { listIn, request } from "./request.ts";

const freshMs = 3_600_000;
/** Keys are used up to this age while new ones cannot be had. */
const oldestMs = 86_400_000;
const shortestBetweenMs = 60_000;

export function createCerts({ endpoint, clock }: { endpoint: string; clock: Clock }): FindKey {
  let keys = new Map<string, KeyObject>();
  let loadedAt = -Infinity;
  let triedAt = -Infinity;
  let loading: Promise<void> | null = null;

  async function load(): Promise<void> {
    triedAt = clock.now();
    try {
      const signal = AbortSignal.timeout(10_000);
      const { status, body } = await request(`${endpoint}/oauth2/v3/certs`, {}, { signal, clock });
      const found = keysIn(listIn(body, "keys"));
      if (status !== 200 || found.size === 0) return;
      keys = found;
      loadedAt = clock.now();
    } catch {
      // What we have goes on to count for a while.
    }
  }

  return async (id) => {
    const isStale = clock.now() - loadedAt >= freshMs || !keys.has(id);
    if (isStale && clock.now() - triedAt >= shortestBetweenMs)
      loading ??= load().finally(() => (loading = null));
    await loading;
    return clock.now() - loadedAt < oldestMs ? (keys.get(id) ?? null) : null;
  };
}
