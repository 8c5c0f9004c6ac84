import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import { unfinishedRuns } from "../../core/backlog.ts";
import { StoreUnavailable, UsageError } from "../../core/errors.ts";
import { anAcceptance } from "../../../test/builders/acceptance.ts";
import { aMessage, aRun, aRunRequest } from "../../../test/builders/run.ts";
import { aDelivery, aSettlement } from "../../../test/builders/settlement.ts";
import { acceptRuns, claim, createTestClock, leaseMs, startRun } from "../ports/harness.contract.ts";
import { sqliteDialect } from "../driver/dialect.ts";
import { createTables } from "../migrations/001-tables.ts";
import { packGroup } from "../programs/accept.ts";
import { openSqliteEngine } from "./engine.ts";
import { openSqliteFile } from "./file.ts";
import { openSqliteStore } from "./open.ts";
import { clockContract } from "../ports/clock.contract.ts";
import { storeContract } from "../ports/store.contract.ts";
import { makeFolder } from "../../../test/support/folder.ts";

const folder = makeFolder("sqlite");
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newPath = (): string => join(folder, `${++files}.db`);

storeContract("sqlite, as the gateway opens it", async () => {
  const clock = createTestClock();
  const store = await openSqliteStore({ path: newPath(), clock, leaseMs });
  return { store, clock, close: () => store.close() };
});

storeContract("sqlite, as a command opens it", async () => {
  const clock = createTestClock();
  const path = newPath();
  await (await openSqliteStore({ path, clock, leaseMs })).close();
  const store = await openSqliteFile({ path, clock });
  return { store, clock, close: () => store.close() };
});

clockContract("sqlite", async () => {
  const clock = createTestClock();
  const path = newPath();
  return { clock, isShared: false, open: () => openSqliteStore({ path, clock, leaseMs }) };
});

describe("sqlite", () => {
  test("the writer's own connection flushes to disk before a commit is done", () => {
    const engine = openSqliteEngine(newPath());
    assert.equal(engine.pragma("synchronous"), 2, "FULL");
    assert.equal(engine.pragma("journal_mode"), "wal");
    engine.close();
  });

  test("a second gateway on the same file is refused, a command is not", async () => {
    const path = newPath();
    const clock = createTestClock();
    const store = await openSqliteStore({ path, clock, leaseMs });
    await assert.rejects(openSqliteStore({ path, clock, leaseMs }), /Another gateway is running/);
    const command = await openSqliteFile({ path, clock });
    const queued = aRun();
    await acceptRuns(command, queued);
    assert.ok(await store.findRun(queued.id));
    await command.close();
    await store.close();
    await (await openSqliteStore({ path, clock, leaseMs })).close();
  });

  for (const [starts, attempts] of [
    [true, 2],
    [false, 1],
  ] as const)
    test(`leases of a gateway that is gone are void at the next start (started: ${starts})`, async () => {
      const path = newPath();
      const clock = createTestClock();
      const first = await openSqliteStore({ path, clock, leaseMs });
      await acceptRuns(first, aRun());
      const [mine] = (await claim(first)).claimed;
      if (starts) await startRun(first, mine!);
      await first.close();
      clock.advance(3_600_000);
      const second = await openSqliteStore({ path, clock, leaseMs });
      const [again] = (await claim(second)).claimed;
      assert.deepEqual(
        [again?.id, again?.attempts, again?.elapsedMs],
        [mine?.id, attempts, 0],
        "downtime is not work",
      );
      await second.close();
    });

  test("a newer store is refused, with advice", async () => {
    const path = newPath();
    const clock = createTestClock();
    await (await openSqliteStore({ path, clock, leaseMs })).close();
    const database = new DatabaseSync(path);
    database.exec("insert into migration(version, applied_at) values (999, 0)");
    database.close();
    await assert.rejects(openSqliteStore({ path, clock, leaseMs }), (fault: unknown) => {
      assert.ok(fault instanceof UsageError);
      assert.match(fault.message, /version 999.*knows up to/);
      return true;
    });
    await assert.rejects(openSqliteFile({ path, clock }), /version 999/);
  });

  test("a store of the first version is migrated with its rows", async () => {
    const path = newPath();
    const clock = createTestClock();
    const database = new DatabaseSync(path);
    for (const sql of createTables(sqliteDialect)) database.exec(sql);
    database.exec(`create table migration(version integer primary key, applied_at bigint not null);
      insert into migration(version, applied_at) values (1, 0)`);
    const detail = JSON.stringify({ ...aRunRequest(), message: "from before", deliverFailures: undefined });
    database
      .prepare(
        `insert into run(id, kind, hook, agent_id, session_key, lane, head, status, created_at, ready_at, request)
         values ('old', 'hook', 'agent', 'main', 'hook:old', 'run:old', 1, 'queued', 0, 0, ?)`,
      )
      .run(detail);
    const insert = database.prepare(
      `insert into delivery(id, run_id, channel, recipient, text, status, created_at, ready_at, error)
       values (?, 'old', 'telegram', '"1"', '"hello"', ?, 5, 5, ?)`,
    );
    insert.run("ended", "sent", null);
    insert.run("first", "waiting", '"it may have been sent: silence"');
    insert.run("second", "waiting", null);
    database.close();
    await assert.rejects(openSqliteFile({ path, clock }), /from an older Rouse/);
    const store = await openSqliteStore({ path, clock, leaseMs });
    const [old] = (await claim(store)).claimed;
    assert.deepEqual([old?.id, old?.request.message, old?.signals], ["old", aMessage("from before"), null]);
    assert.equal(old?.request.fallback, null);
    assert.equal(old.request.deliverFailures, null);
    await store.settleRun(old, aSettlement({ delivery: aDelivery({ id: "third", to: "1" }) }));
    const claims = { channel: "telegram", limit: 5, lease: "lease", leaseMs };
    const { claimed } = await store.claimDeliveries(claims);
    assert.deepEqual(
      claimed.map(({ id, uncertainSends, sentMessages, waitedMs }) => ({
        id,
        uncertainSends,
        sentMessages,
        waitedMs,
      })),
      [{ id: "first", uncertainSends: 1, sentMessages: 0, waitedMs: clock.now() - 5 }],
      "those to one target are in one lane, old and new",
    );
    await store.close();
  });

  test("an isolated run that is in the index of heads is claimed, settled and cancelled", async () => {
    const path = newPath();
    const clock = createTestClock();
    const [settled, cancelled] = [aRun(), aRun()];
    const earlier = await openSqliteStore({ path, clock, leaseMs });
    await acceptRuns(earlier, settled, cancelled);
    await earlier.close();
    const database = new DatabaseSync(path);
    database.exec("update run set head = 1");
    database.close();
    const store = await openSqliteStore({ path, clock, leaseMs });
    const [claimed] = (await claim(store, { limit: 1 })).claimed;
    assert.equal(claimed?.id, settled.id);
    assert.equal(await store.settleRun(claimed, aSettlement()), true);
    const end = { error: "not needed", summary: null, heartbeat: null };
    assert.equal(await store.cancelRun(cancelled.id, end), "cancelled");
    assert.equal(unfinishedRuns(await store.backlog()), 0);
    await store.close();
  });

  test("a missing file and a file that is no database are clear errors", async () => {
    const path = newPath();
    writeFileSync(
      path,
      "this is no database, but text that is long enough to be looked at as one ".repeat(20),
    );
    await assert.rejects(openSqliteStore({ path, clock: createTestClock(), leaseMs }), StoreUnavailable);
    await assert.rejects(openSqliteFile({ path: newPath(), clock: createTestClock() }), /There is no store/);
  });

  test("a full disk refuses, loses nothing, and recovers by itself", async () => {
    const path = newPath();
    const engine = openSqliteEngine(path);
    const clock = createTestClock();
    engine.write([{ name: "migrate", input: { now: 0 } }]);
    const pages = Number(engine.pragma("page_count"));
    engine.pragma(`max_page_count = ${pages + 2}`);
    const pack = (text: string) => ({
      name: "accept" as const,
      input: {
        ...packGroup([anAcceptance({ runs: [aRun({ request: aRunRequest({ message: aMessage(text) }) })] })]),
        now: clock.now(),
        idempotencyMs: 1,
        conversationTurns: 1,
      },
    });
    const [small, large] = engine.write([pack("small"), pack("large ".repeat(10_000))]);
    assert.ok(small && !small.ok && small.fault instanceof StoreUnavailable);
    assert.ok(large && !large.ok && large.fault instanceof StoreUnavailable);
    assert.equal(engine.read({ name: "countWaiting", input: null }), 0);
    engine.pragma("max_page_count = 1000000");
    assert.ok(engine.write([pack("small")])[0]?.ok);
    engine.close();
  });

  test("requests that arrive at the same time share a commit", async (t) => {
    const sizes: number[] = [];
    const clock = createTestClock();
    const store = await openSqliteStore({
      path: newPath(),
      clock,
      leaseMs,
      onGroup: (size) => sizes.push(size),
    });
    t.after(() => store.close());
    await Promise.all(Array.from({ length: 50 }, () => store.accept(anAcceptance({ runs: [aRun()] }))));
    assert.deepEqual(sizes, [50]);
  });
});
