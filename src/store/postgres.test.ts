import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createDatabase } from "../../test/support/postgres.ts";
import { StoreUnavailable, UsageError } from "../core/errors.ts";
import { createTestClock } from "./contract/harness.ts";
import { openPostgresStore } from "./postgres.ts";
import { storeContract } from "./store.contract.ts";

storeContract("postgres", async () => {
  const clock = createTestClock();
  const database = await createDatabase();
  const store = await openPostgresStore({ url: database.url, clock, migrate: true });
  return {
    store,
    clock,
    async close() {
      await store.close();
      await database.drop();
    },
  };
});

describe("postgres", () => {
  test("nodes that start together migrate once", async () => {
    const database = await createDatabase();
    const clock = createTestClock();
    const open = () => openPostgresStore({ url: database.url, clock, migrate: true });
    const stores = await Promise.all([open(), open(), open()]);
    for (const store of stores) await store.probe();
    for (const store of stores) await store.close();
    await database.drop();
  });

  test("a database that cannot be reached is unavailable, and its address is not shown", async () => {
    const opened = openPostgresStore({
      url: "postgres://user:verysecret@127.0.0.1:1/none",
      clock: createTestClock(),
      migrate: true,
    });
    await assert.rejects(opened, (fault: unknown) => {
      assert.ok(fault instanceof StoreUnavailable);
      assert.doesNotMatch(fault.message, /verysecret/);
      return true;
    });
  });

  test("a command refuses a store that was never started", async () => {
    const database = await createDatabase();
    const opened = openPostgresStore({ url: database.url, clock: createTestClock(), migrate: false });
    await assert.rejects(opened, UsageError);
    await database.drop();
  });
});
