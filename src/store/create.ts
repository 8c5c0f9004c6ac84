// The store port over any driver. Here the clock is read and pages are put together; the rest is in the programs.
import type { Clock } from "../core/clock.ts";
import type { Driver } from "./driver.ts";
import { createGroup } from "./group.ts";
import { packGroup } from "./sql/accept.ts";
import type { PageInput, PageResult } from "./sql/lists.ts";
import type { Programs } from "./sql/programs.ts";
import type { Acceptance, Accepted, Store } from "./store.ts";

export const idempotencyMs = 24 * 3_600_000;
const longestGroup = 500;
const pageSize = 500;
const stored: Accepted = { kind: "stored" };

export type StoreOptions = {
  driver: Driver<Programs>;
  clock: Clock;
  /** Told how many requests shared a commit. */
  onGroup?: ((size: number) => void) | undefined;
};

export function createStore({ driver, clock, onGroup }: StoreOptions): Store {
  const now = (): number => clock.now();

  const acceptances = createGroup<Acceptance, Accepted>({
    async write(group) {
      const keyed = await driver.run("accept", { ...packGroup(group), now: now(), idempotencyMs });
      let next = 0;
      return group.map((each) => (each.idempotency ? keyed[next++]! : stored));
    },
    longest: longestGroup,
    ...(onGroup && { onWritten: onGroup }),
  });

  const collect = async <T>(
    limit: number | null,
    read: (input: PageInput) => Promise<PageResult<T>>,
  ): Promise<T[]> => {
    const items: T[] = [];
    let before: number | null = null;
    while (limit === null || items.length < limit) {
      const wanted = limit === null ? pageSize : Math.min(pageSize, limit - items.length);
      const page: PageResult<T> = await read({ limit: wanted, before });
      items.push(...page.items);
      if (page.last === null) break;
      before = page.last;
    }
    return items;
  };

  return {
    accept: (acceptance) => acceptances.add(acceptance),
    recordRequest: (record) => driver.run("recordRequest", { ...record, createdAt: now() }),

    claimRuns: (claim) => driver.run("claimRuns", { ...claim, now: now() }),
    renewRuns: (renewal) => driver.run("renewRuns", { ...renewal, now: now() }),
    settleRun: ({ id, lease }, settlement) => driver.run("settleRun", { id, lease, settlement, now: now() }),
    cancelRun: (id, ended) => driver.run("cancelRun", { id, ...ended, now: now() }),
    repeatRun: (id, newId) => driver.run("repeatRun", { id, newId, now: now() }),
    countUnfinished: () => driver.run("countUnfinished", null),

    requestHeartbeat: (request) => driver.run("requestHeartbeat", { ...request, now: now() }),
    beatIfDue: (request, everyMs) => driver.run("beatIfDue", { request, everyMs, now: now() }),
    waitingEvents: (sessionKey, limit) => driver.run("waitingEvents", { sessionKey, limit }),

    claimDeliveries: (claim) => driver.run("claimDeliveries", { ...claim, now: now() }),
    settleDelivery: ({ id, lease }, settlement) =>
      driver.run("settleDelivery", { id, lease, settlement, now: now() }),
    retryDelivery: (id) => driver.run("retryDelivery", { id, now: now() }),
    cancelDelivery: (id, error) => driver.run("cancelDelivery", { id, error, now: now() }),

    listRuns: ({ limit, kind }) => collect(limit, (page) => driver.run("listRuns", { ...page, kind })),
    findRun: (id) => driver.run("findRun", { id }),
    listEvents: ({ limit }) => collect(limit, (page) => driver.run("listEvents", page)),
    findEvent: (id) => driver.run("findEvent", { id }),
    markEvent: (id, waiting) => driver.run("markEvent", { id, waiting, now: now() }),
    listDeliveries: ({ limit, runId }) =>
      collect(limit, (page) => driver.run("listDeliveries", { ...page, runId: runId ?? null })),
    findDelivery: (id) => driver.run("findDelivery", { id }),
    listRequests: ({ limit }) => collect(limit, (page) => driver.run("listRequests", page)),

    lastTarget: () => driver.run("lastTarget", null),
    setLastTarget: (target) => driver.run("setLastTarget", { target }),

    sweep: (retention, limit) => driver.run("sweep", { retention, limit, now: now() }),
    databaseTime: () => driver.run("databaseTime", null),
    probe: () => driver.run("probe", { now: now() }),
    close: () => driver.close(),
  };
}
