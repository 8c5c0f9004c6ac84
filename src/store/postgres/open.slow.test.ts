import assert from "node:assert/strict";
import { unfinishedRuns } from "../../core/backlog.ts";
import { describe, test } from "node:test";
import pg from "pg";
import { startWire } from "../../../test/lab/proxy.ts";
import { createDatabase } from "../../../test/support/postgres.ts";
import { StoreUnavailable, UsageError } from "../../core/errors.ts";
import { anAcceptance, anUnusedRequest } from "../../../test/builders/acceptance.ts";
import { aRun } from "../../../test/builders/run.ts";
import { aDelivery, aDeliverySettlement, aSettlement } from "../../../test/builders/settlement.ts";
import { acceptRuns, claim, createTestClock, leaseMs } from "../ports/harness.contract.ts";
import { openPostgresStore } from "./open.ts";
import { clockContract } from "../ports/clock.contract.ts";
import { storeContract } from "../ports/store.contract.ts";

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

clockContract("postgres", async () => {
  const clock = createTestClock();
  const database = await createDatabase();
  const open = () => openPostgresStore({ url: database.url, clock, leaseMs, migrate: true });
  return { clock, isShared: true, open, remove: () => database.drop() };
});

describe("postgres", () => {
  test("of several nodes that start at the same time, one migrates", async () => {
    const database = await createDatabase({ bare: true });
    const clock = createTestClock();
    const open = () => openPostgresStore({ url: database.url, clock, migrate: true });
    const stores = await Promise.all([open(), open(), open()]);
    for (const store of stores) await store.probe();
    for (const store of stores) await store.close();
    await database.drop();
  });

  test("a silent database is unavailable, and a new connection works again", async (t) => {
    const database = await createDatabase();
    const address = new URL(database.url);
    const wire = await startWire(Number(address.port));
    address.port = String(wire.port);
    const timeouts = { programMs: () => 300, silenceMs: 60_000, closeMs: 100 };
    const store = await openPostgresStore({ url: address.href, migrate: true, timeouts });
    t.after(async () => {
      wire.close();
      await database.drop();
    });
    wire.hush();
    const mine = aRun();
    await assert.rejects(store.accept(anAcceptance({ runs: [mine] })), /^StoreUnavailable.*does not answer/s);
    await store.accept(anAcceptance({ runs: [mine] }));
    assert.equal((await store.findRun(mine.id))?.status, "queued");
    wire.hush();
    await assert.rejects(store.probe(), StoreUnavailable);
    await store.close();
  });

  test("a database with a full disk is unavailable until there is space", async (t) => {
    const database = await createDatabase();
    const store = await openPostgresStore({ url: database.url, migrate: true });
    const other = new pg.Client(database.url);
    await other.connect();
    t.after(async () => {
      await other.end();
      await store.close();
      await database.drop();
    });
    // The fault of PostgreSQL when it cannot extend a file.
    await other.query(`create function full_disk() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
      create trigger full_disk before insert on run for each row execute function full_disk()`);
    const mine = aRun();
    await assert.rejects(store.accept(anAcceptance({ runs: [mine] })), /^StoreUnavailable.*53100/s);
    await assert.rejects(
      store.accept(anAcceptance({ runs: [aRun({ sessionKey: "hook:a" })] })),
      StoreUnavailable,
    );
    assert.equal(unfinishedRuns(await store.backlog()), 0);
    await other.query("drop trigger full_disk on run");
    await store.accept(anAcceptance({ runs: [mine] }));
    assert.equal((await store.findRun(mine.id))?.status, "queued");
  });

  test("deliveries stored or ended by a node of an earlier version block no lane", async (t) => {
    const database = await createDatabase();
    const clock = createTestClock();
    const open = () => openPostgresStore({ url: database.url, clock, migrate: true });
    const first = await open();
    const older = new pg.Client(database.url);
    await older.connect();
    t.after(async () => {
      await older.end();
      await database.drop();
    });
    const claims = { channel: "telegram", limit: 5, lease: "lease", leaseMs };
    const behind = [aDelivery({ id: "one" }), aDelivery({ id: "two" })];
    for (const each of behind) {
      await acceptRuns(first, aRun());
      const [mine] = (await claim(first)).claimed;
      await first.settleRun(mine!, aSettlement({ delivery: each }));
    }
    await older.query(
      `insert into delivery(id, run_id, channel, recipient, text, status, created_at, ready_at)
       values ('from before', 'run', 'telegram', '"12345"', '"hello"', 'waiting', 0, 0)`,
    );
    await older.query("update delivery set status = 'sent', lease = null, ended_at = 1 where id = 'one'");
    const [fromBefore, ...others] = (await first.claimDeliveries(claims)).claimed;
    assert.deepEqual([fromBefore?.id, others], ["from before", []]);
    assert.ok(await first.settleDelivery(fromBefore!, aDeliverySettlement()));
    await first.close();
    const second = await open();
    assert.deepEqual(
      (await second.claimDeliveries(claims)).claimed.map(({ id }) => id),
      ["two"],
    );
    await second.close();
  });

  test("a jump of our clock does not reach the database: its own time is read again", async (t) => {
    const database = await createDatabase();
    const store = await openPostgresStore({ url: database.url, migrate: true });
    t.after(async () => {
      await store.close();
      await database.drop();
    });
    const real = performance.now.bind(performance);
    let jumpMs = 0;
    t.mock.method(performance, "now", () => real() + jumpMs);
    for (const jump of [0, 3_600_000, -3_600_000]) {
      jumpMs = jump;
      await store.recordRequest(anUnusedRequest({ reason: `${jump}` }));
      const [record] = await store.listRequests({ limit: 1 });
      const { reason, createdAt } = record!;
      assert.equal(reason, `${jump}`);
      assert.ok(Math.abs(createdAt - (await store.databaseTime())) < 60_000, `${jump}: ${createdAt}`);
    }
    assert.equal((await store.listRequests({ limit: 10 })).length, 3);
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
    const database = await createDatabase({ bare: true });
    const opened = openPostgresStore({ url: database.url, clock: createTestClock(), migrate: false });
    await assert.rejects(opened, UsageError);
    await database.drop();
  });

  test("a connection cut while it is in use fails its own call only", async () => {
    const database = await createDatabase();
    const store = await openPostgresStore({ url: database.url, clock: createTestClock(), migrate: true });
    const other = new pg.Client(database.url);
    await other.connect();
    await other.query("begin; lock table run");
    const counted = store.backlog().catch((fault: unknown) => fault);
    while (!(await cutThoseWhoWait(other))) await new Promise((resolve) => setImmediate(resolve));
    assert.ok((await counted) instanceof StoreUnavailable);
    await other.query("rollback");
    assert.equal(unfinishedRuns(await store.backlog()), 0);
    await other.end();
    await store.close();
    await database.drop();
  });
});

async function cutThoseWhoWait(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'rouse' and wait_event_type = 'Lock'`,
  );
  return (rowCount ?? 0) > 0;
}
