// The port of the store's own upkeep.
import type { Driver } from "../driver/program.ts";
import type { Upkeep } from "../ports/upkeep.ts";
import type { Programs } from "../programs/catalogue.ts";
import type { Notifier } from "./notifier.ts";

export const createUpkeep = (driver: Driver<Programs>, notifier: Notifier): Upkeep => ({
  sweep: (retention, limit) => driver.run("sweep", { retention, limit }),
  announce: notifier.announce,
  listen: notifier.listen,
  databaseTime: () => driver.run("databaseTime", null),
  probe: () => driver.run("probe", {}),
  async close() {
    await notifier.close();
    await driver.close();
  },
});
