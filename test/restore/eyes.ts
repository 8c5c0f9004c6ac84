// What is in a store, seen beside the gateways that run on it.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../src/core/clock.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { makeFolder } from "../support/folder.ts";
import type { Lab } from "../system/lab.ts";

export type Eyes = { content(): Promise<Content>; unfinished(): Promise<number> };
export type Content = Awaited<ReturnType<typeof contentOf>>;

export async function ownEyes(lab: Lab): Promise<Eyes> {
  const store = await lab.openStore();
  return { content: () => contentOf(store), unfinished: () => store.countUnfinished() };
}

/** For the SQLite of an older version: its content is that of a copy, which this version brings up to date. */
export async function eyesOnOld(lab: Lab): Promise<Eyes> {
  const file = join(lab.folder, "rouse.db");
  return {
    async content() {
      const path = join(makeFolder("restore-look"), "rouse.db");
      within(file, (database) => database.prepare("vacuum into ?").run(path));
      const store = await openSqliteStore({ path, clock: systemClock, leaseMs: 1000 });
      try {
        return await contentOf(store);
      } finally {
        await store.close();
      }
    },
    unfinished: async () =>
      within(file, (database) =>
        Number(database.prepare("select count(*) as count from run where ended_at is null").get()?.["count"]),
      ),
  };
}

function within<T>(file: string, look: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { timeout: 5000 });
  try {
    return look(database);
  } finally {
    database.close();
  }
}

async function contentOf(store: Store) {
  const hookRuns = await store.listRuns({ kind: "hook", limit: null });
  const heartbeats = await store.listRuns({ kind: "heartbeat", limit: null });
  const events = await store.listEvents({ limit: null });
  const runs = [...hookRuns, ...heartbeats];
  return { runs, events, ids: new Set([...hookRuns, ...events].map(({ id }) => id)) };
}
