// The store on PostgreSQL: any number of gateways on one database.
import { type ClockSteps, createClockSteps } from "../create/clock-steps.ts";
import { createStore } from "../create/store.ts";
import type { Driver } from "../driver/program.ts";
import type { Store } from "../ports/store.ts";
import type { Programs } from "../programs/catalogue.ts";
import { createHealer, type Healer } from "./clock-healer.ts";
import { type ClockWatch, createClockWatch } from "./clock-watch.ts";
import { createPool } from "./connection.ts";
import { createPostgresDriver } from "./driver.ts";
import { createPostgresNotifier } from "./notifier.ts";
import { defaultTimeouts, type Timeouts } from "./timeouts.ts";
import type { StandInClock } from "./transactions.ts";

export type PostgresOptions = {
  url: string;
  /** In place of the database's own time: for tests. */
  clock?: StandInClock;
  /** Commands never migrate, nor heal what a clock that was set has left; the gateway does. */
  migrate: boolean;
  leaseMs?: number;
  connections?: number;
  onGroup?: ((size: number) => void) | undefined;
  timeouts?: Timeouts;
};

/** How often the database is asked for its time, in case no transaction is. */
const askEveryMs = 5000;

export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { url, clock, migrate, leaseMs = 15_000, connections = 8, onGroup } = options;
  const { timeouts = defaultTimeouts } = options;
  const pool = createPool(url, connections);
  const monotonic = clock?.monotonic ?? (() => performance.now());
  const watch = createClockWatch({ monotonic, holdMs: leaseMs });
  const learn: ClockWatch["learn"] = (databaseTime, roundTrip) => {
    const stepMs = watch.learn(databaseTime, roundTrip);
    if (stepMs !== 0 && migrate) healer.stepped(stepMs);
    return stepMs;
  };
  const driver = createPostgresDriver(pool, { clock, timeouts, watch: { ...watch, learn } });
  const steps: ClockSteps = createClockSteps(clock ? undefined : () => askForTime(driver, learn, healer));
  const healer = createHealer(driver, steps, { leaseMs, monotonic });
  try {
    if (migrate) {
      await driver.run("migrate", {});
      await driver.run("mendLanes", null);
      await healer.heal();
    } else await driver.run("checkVersion", null);
  } catch (fault) {
    await pool.end();
    throw fault;
  }
  return createStore({ driver, steps, notifier: createPostgresNotifier({ url }), isRemote: true, onGroup });
}

/** Now and then, until the returned function is called. */
function askForTime(driver: Driver<Programs>, learn: ClockWatch["learn"], healer: Healer): () => void {
  const ask = async (): Promise<void> => {
    const askedAt = performance.now();
    const databaseTime = await driver.run("databaseTime", null);
    learn(databaseTime, { askedAt, answeredAt: performance.now() });
    healer.retry();
  };
  // While the database is away, the next one asks.
  const timer = setInterval(() => void ask().catch(() => {}), askEveryMs).unref();
  return () => clearInterval(timer);
}
