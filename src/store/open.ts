// Opens the configured store for a gateway. Each database's driver is loaded only when it is used.
import { secondsToMs } from "../core/duration.ts";
import { systemClock } from "../core/clock.ts";
import type { WriterThread } from "./sqlite/thread.ts";
import type { Store } from "./ports/store.ts";

export type GatewayStoreOptions = {
  /** A PostgreSQL address, or null for the embedded SQLite in `path`. */
  url: string | null;
  path: string;
  leaseSeconds: number;
};

/** Takes over `thread` and ends it, also when opening fails. */
export async function openStore(
  { url, path, leaseSeconds }: GatewayStoreOptions,
  { thread, onGroup }: { thread?: WriterThread; onGroup?: (size: number) => void } = {},
): Promise<Store> {
  if (url === null) {
    const { openSqliteStore } = await import("./sqlite/open.ts");
    return openSqliteStore({ path, clock: systemClock, leaseMs: secondsToMs(leaseSeconds), onGroup, thread });
  }
  await thread?.close();
  const { openPostgresStore } = await import("./postgres/open.ts");
  return openPostgresStore({ url, leaseMs: secondsToMs(leaseSeconds), migrate: true, onGroup });
}
