// The store on PostgreSQL: any number of gateways on one database.
import type { Clock } from "../../core/clock.ts";
import { createStore } from "../create/store.ts";
import type { Store } from "../ports/store.ts";
import { createPool } from "./connection.ts";
import { createPostgresDriver } from "./driver.ts";
import { createPostgresNotifier } from "./notifier.ts";
import { defaultTimeouts, type Timeouts } from "./timeouts.ts";

export type PostgresOptions = {
  url: string;
  /** In place of the database's own time: for tests. */
  clock?: Pick<Clock, "now">;
  /** Commands never migrate; the gateway does. */
  migrate: boolean;
  connections?: number;
  onGroup?: ((size: number) => void) | undefined;
  timeouts?: Timeouts;
};

export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { url, clock, migrate, connections = 8, onGroup, timeouts = defaultTimeouts } = options;
  const pool = createPool(url, connections);
  const driver = createPostgresDriver(pool, clock, timeouts);
  try {
    if (migrate) {
      await driver.run("migrate", {});
      await driver.run("mendLanes", null);
    } else await driver.run("checkVersion", null);
  } catch (fault) {
    await pool.end();
    throw fault;
  }
  return createStore({ driver, notifier: createPostgresNotifier({ url }), onGroup });
}
