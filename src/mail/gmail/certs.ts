// Google's public keys. They are kept for an hour and fetched again for an id that is not among them, but at most once
// a minute, and they go on being used for a day while Google cannot be reached. Fetches that fail come after growing
// waits.
import type { CryptoKey } from "jose";
import type { Clock } from "../../core/clock.ts";
import { retryWaitMs } from "../../core/retry.ts";
import type { FindKey } from "../../core/google-token.ts";
import { type Fields, listIn, request, textIn } from "./request.ts";

const freshMs = 3_600_000;
const oldestMs = 86_400_000;
const shortestBetweenMs = 60_000;
const failureBackOff = { firstMs: 2 * shortestBetweenMs, longestMs: 600_000 };
const timeoutMs = 10_000;

type CertsOptions = { endpoint: string; clock: Clock; random?: () => number };

export function createCerts({ endpoint, clock, random = Math.random }: CertsOptions): FindKey {
  let keys: ReadonlyMap<string, CryptoKey> = new Map();
  let loadedAt = -Infinity;
  let triedAt = -Infinity;
  let restMs = shortestBetweenMs;
  let failures = 0;
  let loading: Promise<void> | null = null;

  async function load(): Promise<void> {
    triedAt = clock.monotonic();
    let askedMs: number | null = null;
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await request(`${endpoint}/oauth2/v3/certs`, {}, { signal, clock });
      askedMs = response.retryAfterMs;
      const found = response.status === 200 ? await importKeys(listIn(response.body, "keys")) : null;
      if (found && found.size > 0) {
        keys = found;
        loadedAt = clock.monotonic();
        failures = 0;
        restMs = shortestBetweenMs;
        return;
      }
    } catch {
      // The keys from before stay in use.
    }
    restMs = retryWaitMs(++failures, askedMs, failureBackOff, random());
  }

  return async (id) => {
    const isStale = clock.monotonic() - loadedAt >= freshMs || !keys.has(id);
    if (isStale && clock.monotonic() - triedAt >= restMs) loading ??= load().finally(() => (loading = null));
    await loading;
    return clock.monotonic() - loadedAt < oldestMs ? (keys.get(id) ?? null) : null;
  };
}

async function importKeys(keys: readonly Fields[]): Promise<Map<string, CryptoKey>> {
  const { importJWK } = await import("jose/key/import");
  const found = new Map<string, CryptoKey>();
  for (const each of keys) {
    if (each["kty"] !== "RSA") continue;
    const jwk = { kty: "RSA", n: textIn(each, "n"), e: textIn(each, "e") };
    const key = await importJWK(jwk, "RS256");
    if (!(key instanceof Uint8Array)) found.set(textIn(each, "kid"), key);
  }
  return found;
}
