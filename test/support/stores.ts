// Both stores, as a gateway opens them, for tests that hold for either. `sql` changes a database behind its back.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import pg from "pg";
import type { Store } from "../../src/store/ports/store.ts";
import { createTestClock, leaseMs, type TestClock } from "../../src/store/ports/harness.contract.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { makeFolder } from "./folder.ts";
import { createDatabase } from "./postgres.ts";

export type OpenedStore = {
  store: Store;
  clock: TestClock;
  sql(text: string): Promise<Record<string, unknown>[]>;
};

async function openSqlite(t: TestContext): Promise<OpenedStore> {
  const clock = createTestClock();
  const folder = makeFolder("stores");
  const path = join(folder, "rouse.db");
  const store = await openSqliteStore({ path, clock, leaseMs });
  t.after(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    store,
    clock,
    async sql(text) {
      const database = new DatabaseSync(path, { timeout: 5000 });
      const rows = database.prepare(text).all();
      database.close();
      return rows;
    },
  };
}

async function openPostgres(t: TestContext): Promise<OpenedStore> {
  const clock = createTestClock();
  const { url, drop } = await createDatabase();
  const store = await openPostgresStore({ url, clock, migrate: true });
  t.after(async () => {
    await store.close();
    await drop();
  });
  return {
    store,
    clock,
    async sql(text) {
      const client = new pg.Client(url);
      await client.connect();
      const { rows } = await client.query<Record<string, unknown>>(text);
      await client.end();
      return rows;
    },
  };
}

export const bothStores: Readonly<Record<string, (t: TestContext) => Promise<OpenedStore>>> = {
  SQLite: openSqlite,
  PostgreSQL: openPostgres,
};
