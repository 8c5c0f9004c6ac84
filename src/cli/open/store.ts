// Opens the store for a command, whether or not a gateway is running, and always closes it.
import type { Config } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import { StoreUnavailable, UsageError } from "../../core/errors.ts";
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
  let store: Store | null = null;
  try {
    store = await openStore(config.store, context.clock);
    return await use(store, config);
  } catch (fault) {
    throw storeFault(fault, config);
  } finally {
    await store?.close();
  }
}

const capitalised = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Says which store it is when a store cannot be used; any other fault stays as it is. */
export function storeFault(
  fault: unknown,
  { store: { url, path }, file }: Pick<Config, "store" | "file">,
): unknown {
  if (!(fault instanceof StoreUnavailable)) return fault;
  return new UsageError(
    url === null
      ? `The store ${path} cannot be used: ${fault.message}. It must be a file of Rouse in a folder that this user can write; store.path in ${file} names it.`
      : `${capitalised(fault.message)}. Its address is store.url in ${file}.`,
  );
}
