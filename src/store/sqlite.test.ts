import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import { StoreUnavailable, UsageError } from "../core/errors.ts";
import { acceptance, acceptRuns, claim, createTestClock, leaseMs, run } from "./contract/harness.ts";
import { packGroup } from "./sql/accept.ts";
import { openSqliteEngine } from "./sqlite-engine.ts";
import { openSqliteFile, openSqliteStore } from "./sqlite.ts";
import { storeContract } from "./store.contract.ts";
import { makeFolder } from "../../test/support/folder.ts";

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
    const aRun = run();
    await acceptRuns(command, aRun);
    assert.ok(await store.findRun(aRun.id));
    await command.close();
    await store.close();
    await (await openSqliteStore({ path, clock, leaseMs })).close();
  });

  test("leases of a gateway that is gone are void at the next start", async () => {
    const path = newPath();
    const clock = createTestClock();
    const first = await openSqliteStore({ path, clock, leaseMs });
    await acceptRuns(first, run());
    const [mine] = (await claim(first)).claimed;
    await first.close();
    clock.advance(3_600_000);
    const second = await openSqliteStore({ path, clock, leaseMs });
    const [again] = (await claim(second)).claimed;
    assert.deepEqual(
      [again?.id, again?.attempts, again?.elapsedMs],
      [mine?.id, 2, 0],
      "downtime is not work",
    );
    await second.close();
  });

  test("a newer store is refused with what to do", async () => {
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

  test("a file that is no database, or not there, is a clear error", async () => {
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
    const pack = (message: string) => ({
      name: "accept" as const,
      input: { ...packGroup([acceptance({ runs: [run({ message })] })]), now: clock.now(), idempotencyMs: 1 },
    });
    const [small, large] = engine.write([pack("small"), pack("large ".repeat(10_000))]);
    assert.ok(small && !small.ok && small.fault instanceof StoreUnavailable);
    assert.ok(large && !large.ok && large.fault instanceof StoreUnavailable);
    assert.equal(engine.read({ name: "countUnfinished", input: null }), 0);
    engine.pragma("max_page_count = 1000000");
    assert.ok(engine.write([pack("small")])[0]?.ok);
    engine.close();
  });

  test("requests that arrive together share a commit", async () => {
    const sizes: number[] = [];
    const clock = createTestClock();
    const store = await openSqliteStore({
      path: newPath(),
      clock,
      leaseMs,
      onGroup: (size) => sizes.push(size),
    });
    await Promise.all(Array.from({ length: 50 }, () => store.accept(acceptance({ runs: [run()] }))));
    assert.deepEqual(sizes, [50]);
    await store.close();
  });
});
