// The port of searches.
import type { Run } from "../../core/run.ts";
import type { Driver } from "../driver/program.ts";
import { type Found, type ResolvedId, type Searches, shortestPrefix } from "../ports/search.ts";
import type { Programs } from "../programs/catalogue.ts";

export const createSearches = (driver: Driver<Programs>): Searches => ({
  searchRequests: (search) => driver.run("searchRequests", search),
  searchRuns: (search) => driver.run("searchRuns", search),
  searchEvents: (search) => driver.run("searchEvents", search),
  searchDeliveries: (search) => driver.run("searchDeliveries", search),
  searchSessions: (search) => driver.run("searchSessions", search),
  async resolveId(kind, written) {
    if (written === "last") return resolved(await newestOf(driver, kind));
    return driver.run("resolveId", { table: kind, written, prefix: prefixOf(written) });
  },
  findRuns: (ids) => driver.run("findRuns", { ids }),
  findEvents: (ids) => driver.run("findEvents", { ids }),
  attemptsOf: (runIds) => driver.run("attemptsOf", { runIds }),
  deliveriesOf: (runIds) => driver.run("deliveriesOf", { runIds }),
  listReplays: (id) => driver.run("listReplays", { id }),
  runBehind: (id) => driver.run("runBehind", { id }),
  sameReason: ({ besides = null, ...as }) => driver.run("sameReason", { ...as, besides }),
  outcomesPerHalfMinute: () => driver.run("outcomesPerHalfMinute", {}),
});

const prefixOf = (written: string): string | null => {
  const lowered = written.toLowerCase();
  return lowered.length >= shortestPrefix && /^[\da-f-]{1,36}$/.test(lowered) ? lowered : null;
};

const resolved = (id: string | null): ResolvedId => (id === null ? { kind: "none" } : { kind: "one", id });

/** Heartbeats are runs, too, but not what an operator means by the last one. */
async function newestOf(
  driver: Driver<Programs>,
  kind: Parameters<Searches["resolveId"]>[0],
): Promise<string | null> {
  if (kind !== "run") return driver.run("newestId", { table: kind });
  const search = { limit: 1, kinds: ["hook"] };
  const [run] = await collectFound<Run, number>(1, (page) =>
    driver.run("searchRuns", { ...search, before: page.before }),
  );
  return run?.id ?? null;
}

const pageSize = 500;

/** Pages until there are `limit` items, or none are left. */
export async function collectFound<T, Position>(
  limit: number | null,
  read: (page: { limit: number; before: Position | null }) => Promise<Found<T, Position>>,
): Promise<T[]> {
  const items: T[] = [];
  let before: Position | null = null;
  do {
    const wanted = limit === null ? pageSize : Math.min(pageSize, limit - items.length);
    const page: Found<T, Position> = await read({ limit: wanted, before });
    for (const item of page.items) items.push(item);
    before = page.next;
  } while (before !== null && (limit === null || items.length < limit));
  return items;
}
