// Opens the configured store for a gateway. Each database's driver is loaded only when it is used.
import { systemClock } from "../core/clock.ts";
import type { Store } from "./store.ts";

export type GatewayStoreOptions = {
  /** A PostgreSQL address, or null for the embedded SQLite in `path`. */
  url: string | null;
  path: string;
  leaseSeconds: number;
};

export async function openStore(
  { url, path, leaseSeconds }: GatewayStoreOptions,
  onGroup?: (size: number) => void,
): Promise<Store> {
  const clock = systemClock;
  if (url === null) {
    const { openSqliteStore } = await import("./sqlite.ts");
    return openSqliteStore({ path, clock, leaseMs: leaseSeconds * 1000, onGroup });
  }
  const { openPostgresStore } = await import("./postgres.ts");
  return openPostgresStore({ url, clock, migrate: true, onGroup });
}
