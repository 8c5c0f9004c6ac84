// Reads what is new in the store, time after time: new rows, and those that had not ended when they were last read.
import type { Delivery } from "../../core/delivery.ts";
import type { Run } from "../../core/run.ts";
import { collectFound } from "../../store/create/searches.ts";
import type { Store } from "../../store/ports/store.ts";
import { deliveryMoments, inOrder, type Moment, requestMoments, runMoments } from "./moments.ts";

export type LogStore = Pick<
  Store,
  "listRequests" | "searchRuns" | "listDeliveries" | "findRun" | "findDelivery" | "databaseTime"
>;

export type LogReader = {
  /** The first call: of the newest rows, or of those stored since then. Later ones: what is new. Oldest first. */
  read(): Promise<Moment[]>;
};

/** Of each kind, so many of the newest rows are read, and more only while all of them are new. */
const pageRows = 50;
const mostRows = 100_000;
/** Of so many that have not ended the end is seen, however many rows come after them. */
const mostWatched = 1000;
const mostRemembered = 200_000;

type Row = { id: string; createdAt: number };

export function createLogReader(
  store: LogStore,
  { since, hook, rows }: { since: number | null; hook: string | null; rows: number },
): LogReader {
  const known = createMemory();
  const printed = createMemory();
  const hooks = new Map<string, string>();
  const running = new Map<string, Run>();
  const waiting = new Map<string, Delivery>();
  let isFirst = true;

  async function newest<T extends Row>(list: (limit: number) => Promise<T[]>): Promise<T[]> {
    const isOld = ({ id, createdAt }: T) => (isFirst ? since === null || createdAt < since : known.has(id));
    for (let limit = isFirst ? rows : pageRows; ; limit *= 4) {
      const found = await list(limit);
      if (found.length < limit || limit > mostRows || found.some(isOld)) {
        for (const { id } of found) known.add(id);
        return found.filter(({ createdAt }) => !isFirst || since === null || createdAt >= since);
      }
    }
  }

  /** Rows that were read again because they had not ended. */
  async function again<T extends Row>(
    unfinished: Map<string, T>,
    read: readonly T[],
    find: (id: string) => Promise<T | null>,
  ): Promise<T[]> {
    const ids = new Set(read.map(({ id }) => id));
    const missing = [...unfinished.keys()].filter((id) => !ids.has(id)).slice(0, mostWatched);
    const found = await Promise.all(missing.map(find));
    return found.filter((item) => item !== null);
  }

  async function hookOf(runId: string): Promise<string | null> {
    const found = hooks.get(runId) ?? (await store.findRun(runId))?.hook ?? null;
    if (found !== null) hooks.set(runId, found);
    return found;
  }

  async function readRuns(): Promise<Run[]> {
    const read = await newest((limit) => collectFound<Run, number>(limit, (page) => store.searchRuns(page)));
    const all = [...read, ...(await again(running, read, (id) => store.findRun(id)))];
    for (const run of all) {
      hooks.set(run.id, run.hook);
      watch(running, run, run.endedAt === null);
    }
    return all;
  }

  async function readDeliveries(): Promise<Delivery[]> {
    const read = await newest((limit) => store.listDeliveries({ limit }));
    const all = [...read, ...(await again(waiting, read, (id) => store.findDelivery(id)))];
    for (const delivery of all) watch(waiting, delivery, delivery.status === "waiting");
    return all;
  }

  return {
    async read() {
      const now = await store.databaseTime();
      const requests = (await newest((limit) => store.listRequests({ limit }))).flatMap(requestMoments);
      const runs = (await readRuns()).flatMap((run) => runMoments(run, now));
      const sent: Moment[] = [];
      for (const delivery of await readDeliveries()) {
        const ofRun = await hookOf(delivery.runId);
        for (const moment of deliveryMoments(delivery, now)) sent.push({ ...moment, hook: ofRun });
      }
      isFirst = false;
      if (hooks.size > mostRemembered) hooks.clear();
      const all = inOrder([...requests, ...runs, ...sent]);
      return all.filter((moment) => (hook === null || moment.hook === hook) && printed.add(moment.key));
    },
  };
}

function watch<T extends Row>(unfinished: Map<string, T>, item: T, isUnfinished: boolean): void {
  if (!isUnfinished) unfinished.delete(item.id);
  else if (unfinished.size < mostWatched) unfinished.set(item.id, item);
}

/** Remembers the newest of many keys. */
function createMemory() {
  let newer = new Set<string>();
  let older = new Set<string>();
  const has = (key: string): boolean => newer.has(key) || older.has(key);
  return {
    has,
    /** False: it was there. */
    add(key: string): boolean {
      if (has(key)) return false;
      newer.add(key);
      if (newer.size >= mostRemembered) [newer, older] = [new Set(), newer];
      return true;
    },
  };
}
