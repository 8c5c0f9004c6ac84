// Google's public keys. They are kept for an hour and fetched again for an id that is not among them, but at most once
// a minute, and they go on being used for a day while Google cannot be reached.
import type { CryptoKey } from "jose";
import type { Clock } from "../../core/clock.ts";
import type { FindKey } from "./oidc.ts";
import { type Fields, listIn, request, textIn } from "./request.ts";

const freshMs = 3_600_000;
const oldestMs = 86_400_000;
const shortestBetweenMs = 60_000;
const timeoutMs = 10_000;

export function createCerts({ endpoint, clock }: { endpoint: string; clock: Clock }): FindKey {
  let keys: ReadonlyMap<string, CryptoKey> = new Map();
  let loadedAt = -Infinity;
  let triedAt = -Infinity;
  let loading: Promise<void> | null = null;

  async function load(): Promise<void> {
    triedAt = clock.now();
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const { status, body } = await request(`${endpoint}/oauth2/v3/certs`, {}, { signal, clock });
      const found = status === 200 ? await importKeys(listIn(body, "keys")) : null;
      if (!found || found.size === 0) return;
      keys = found;
      loadedAt = clock.now();
    } catch {
      // The keys from before stay in use.
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
