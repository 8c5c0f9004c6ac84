// The port of the outbox.
import type { Driver } from "../driver/program.ts";
import type { Deliveries } from "../ports/deliveries.ts";
import type { Programs } from "../programs/catalogue.ts";
import { collect } from "./lists.ts";

export const createDeliveries = (driver: Driver<Programs>): Deliveries => ({
  claimDeliveries: (claim) => driver.run("claimDeliveries", claim),
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
  lastTarget: () => driver.run("lastTarget", null),
  setLastTarget: (target) => driver.run("setLastTarget", { target }),
});
