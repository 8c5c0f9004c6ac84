// What a database or a role can set as defaults must not reach our transactions.
import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import pg from "pg";
import { anAcceptance } from "../../../test/builders/acceptance.ts";
import { aRun } from "../../../test/builders/run.ts";
import { aSettlement } from "../../../test/builders/settlement.ts";
import { createDatabase } from "../../../test/support/postgres.ts";
import { StoreUnavailable } from "../../core/errors.ts";
import type { Store } from "../ports/store.ts";
import { leaseMs } from "../ports/harness.contract.ts";
import { openPostgresStore } from "./open.ts";

/** A database with this default for all of its sessions. */
async function databaseWith(t: TestContext, setting: string): Promise<{ url: string; client: pg.Client }> {
  const database = await createDatabase();
  const client = new pg.Client(database.url);
  await client.connect();
  t.after(async () => {
    await client.end();
    await database.drop();
  });
  const name = new URL(database.url).pathname.slice(1);
  await client.query(`alter database ${name} set ${setting}`);
  return { url: database.url, client };
}

const defaults = [
  "default_transaction_isolation = 'serializable'",
  "default_transaction_isolation = 'repeatable read'",
  "lock_timeout = '1ms'",
] as const;

const watched = ["transaction_isolation", "lock_timeout", "synchronous_commit"] as const;

describe("the defaults of a database", () => {
  for (const setting of defaults) {
    test(`${setting}: single statements and transactions have our own settings`, async (t) => {
      const { url, client } = await databaseWith(t, setting);
      await client.query(`create table seen(what text);
        create function watch() returns trigger language plpgsql as $$ begin
          insert into seen select current_setting(name) from unnest(array['${watched.join("','")}']) as name;
          return new; end $$;
        create trigger watch before insert or update on run for each row execute function watch()`);
      const store = await openPostgresStore({ url, migrate: true });
      t.after(() => store.close());
      await store.accept(anAcceptance({ runs: [aRun()] }));
      await store.accept(anAcceptance({ idempotency: { key: "k", fingerprint: "f" }, runs: [aRun()] }));
      while (await work(store));
      const { rows } = await client.query<{ what: string }>("select distinct what from seen order by what");
      assert.deepEqual(
        rows.map(({ what }) => what),
        ["0", "on", "read committed"],
      );
    });

    test(`${setting}: no run of two busy nodes is stranded, and no end is lost`, async (t) => {
      const { url } = await databaseWith(t, setting);
      const nodes = await Promise.all([
        openPostgresStore({ url, migrate: true }),
        openPostgresStore({ url, migrate: true }),
      ]);
      t.after(() => Promise.all(nodes.map((node) => node.close())));
      const runs = Array.from({ length: 60 }, (_, at) => aRun({ sessionKey: `hook:${at % 3}` }));
      let isAccepted = false;
      const accepting = Promise.all(
        runs.map((run, at) => nodes[at % 2]!.accept(anAcceptance({ runs: [run] }))),
      ).finally(() => (isAccepted = true));
      const working = nodes.map(async (node) => {
        while ((await work(node)) > 0 || !isAccepted);
      });
      await Promise.all([accepting, ...working]);
      while ((await work(nodes[0])) > 0);
      const stored = await nodes[0].listRuns({ limit: 100, kind: "hook" });
      assert.deepEqual(new Set(stored.map(({ status }) => status)), new Set(["succeeded"]));
      assert.equal(stored.length, runs.length);
    });
  }

  test("a database that is read-only by default is unavailable, and the reason says so", async (t) => {
    const { url } = await databaseWith(t, "default_transaction_read_only = on");
    await assert.rejects(openPostgresStore({ url, migrate: true }), (fault: unknown) => {
      assert.ok(fault instanceof StoreUnavailable);
      assert.match(fault.message, /read-only.*default_transaction_read_only/);
      return true;
    });
  });
});

/** Claims and ends what can be claimed. Returns how many runs that were. */
async function work(node: Store): Promise<number> {
  const claim = { kind: "hook", limit: 4, lease: crypto.randomUUID(), leaseMs } as const;
  const { claimed } = await node.claimRuns(claim);
  const ended = await Promise.all(claimed.map((run) => node.settleRun(run, aSettlement())));
  assert.ok(ended.every(Boolean));
  return claimed.length;
}
