// The port of the store's own upkeep.
import { randomBytes } from "node:crypto";
import type { Retention } from "../../core/retention.ts";
import type { Driver } from "../driver/program.ts";
import type { Upkeep } from "../ports/upkeep.ts";
import type { Programs } from "../programs/catalogue.ts";
import type { ClockSteps } from "./clock-steps.ts";
import type { UnreadableReports } from "./unreadable.ts";
import type { Notifier } from "./notifier.ts";

type Watched = { notifier: Notifier; steps: ClockSteps; unreadable: UnreadableReports };

export const createUpkeep = (driver: Driver<Programs>, { notifier, steps, unreadable }: Watched): Upkeep => ({
  sweep: (retention, limit) => sweep(driver, retention, limit),
  announce: notifier.announce,
  announceChanges: notifier.announceChanges,
  listen: notifier.listen,
  watchClock: steps.watch,
  watchUnreadable: unreadable.watch,
  databaseTime: () => driver.run("databaseTime", null),
  identity: () => driver.run("identity", { fresh: randomBytes(32).toString("base64url") }),
  probe: () => driver.run("probe", {}),
  async close() {
    steps.stop();
    await notifier.close();
    await driver.close();
  },
});

/** Long conversations come last, because finding them reads far more than it removes. */
async function sweep(driver: Driver<Programs>, retention: Retention, limit: number): Promise<number> {
  const removed = await driver.run("sweep", { retention, limit });
  if (removed > 0) return removed;
  const turns = retention.conversationTurns;
  const conversations = await driver.run("longConversations", { turns, limit });
  return conversations.length === 0
    ? 0
    : driver.run("sweepConversations", { conversations, retention, limit });
}
