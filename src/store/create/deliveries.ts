// The port of the outbox.
import type { Driver } from "../driver/program.ts";
import type { Deliveries } from "../ports/deliveries.ts";
import type { Programs } from "../programs/catalogue.ts";
import { collect } from "./lists.ts";
import { deliverySetAside, type UnreadableReports } from "./unreadable.ts";

export const createDeliveries = (driver: Driver<Programs>, unreadable: UnreadableReports): Deliveries => ({
  claimDeliveries: (claim) => claimReadable(driver, unreadable, claim),
  renewDeliveries: (renewal) => driver.run("renewDeliveries", renewal),
  advanceDelivery: (progress) => driver.run("advanceDelivery", progress),
  settleDelivery: ({ id, lease }, settlement) => driver.run("settleDelivery", { id, lease, settlement }),
  moveDelivery: ({ id, lease }, target) => driver.run("moveDelivery", { id, lease, target }),
  retryDelivery: (id) => driver.run("retryDelivery", { id }),
  cancelDelivery: (id, error) => driver.run("cancelDelivery", { id, error }),
  findDelivery: (id) => driver.run("findDelivery", { id }),
  listDeliveries: ({ limit, runId }) =>
    collect(limit, (page) => driver.run("listDeliveries", { ...page, runId: runId ?? null })),
  waitingChannels: () => driver.run("waitingChannels", null),
  async lastTarget() {
    const { target, reason } = await driver.run("lastTarget", null);
    if (reason !== null) unreadable.add({ table: "setting", id: "last-target", reason });
    return target;
  },
  setLastTarget: (target) => driver.run("setLastTarget", { target }),
});

/** Claims again while all that it got had to be set aside. */
async function claimReadable(
  driver: Driver<Programs>,
  reports: UnreadableReports,
  claim: Parameters<Deliveries["claimDeliveries"]>[0],
): ReturnType<Deliveries["claimDeliveries"]> {
  for (;;) {
    const { unreadable, ...result } = await driver.run("claimDeliveries", claim);
    for (const each of unreadable) {
      const { id, lease, reason } = each;
      const stored = driver.run("settleDelivery", { id, lease, settlement: deliverySetAside(each) });
      // The others have been claimed. This one is claimed again when its lease has ended.
      await stored.catch(() => {});
      reports.add({ table: "delivery", id, reason });
    }
    if (unreadable.length === 0) return result;
    // What was behind them in their lanes is due now.
    if (result.claimed.length > 0) return { ...result, nextInMs: 0 };
  }
}
