// Opens the store for a command, whether or not a gateway is running, and always closes it.
import type { Config } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import type { Store } from "../../store/ports/store.ts";
import type { Context } from "../command.ts";
import { loadSettings } from "./settings.ts";

export async function openStore({ url, path }: Config["store"], clock: Clock): Promise<Store> {
  if (url === null) {
    const { openSqliteFile } = await import("../../store/sqlite/file.ts");
    return openSqliteFile({ path, clock });
  }
  const { openPostgresStore } = await import("../../store/postgres/open.ts");
  return openPostgresStore({ url, migrate: false, connections: 2 });
}

export async function withStore<T>(
  context: Context,
  configFile: string | undefined,
  use: (store: Store, config: Config) => Promise<T>,
): Promise<T> {
  const { config } = await loadSettings(context, configFile);
  const store = await openStore(config.store, context.clock);
  try {
    return await use(store, config);
  } finally {
    await store.close();
  }
}
