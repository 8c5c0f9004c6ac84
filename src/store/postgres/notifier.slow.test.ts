import assert from "node:assert/strict";
import { after, before, test, type TestContext } from "node:test";
import pg from "pg";
import { createDatabase } from "../../../test/support/postgres.ts";
import { waitFor } from "../../../test/support/gateway.ts";
import { createPostgresNotifier } from "./notifier.ts";
import type { Work } from "../ports/upkeep.ts";

let database: Awaited<ReturnType<typeof createDatabase>>;
before(async () => {
  database = await createDatabase();
});
after(() => database.drop());

/** Resolves once it listens: a new connection calls both callbacks once. */
async function listener(t: TestContext) {
  const heard: Work[] = [];
  const notifier = createPostgresNotifier({ url: database.url, random: () => 0.5 });
  t.after(() => notifier.close());
  notifier.listen({ runs: () => void heard.push("runs"), deliveries: () => void heard.push("deliveries") });
  await waitFor("the notifier to listen", async () => heard.length === 2);
  heard.length = 0;
  return { ...notifier, heard };
}

test("an announcement reaches the other nodes, not its own", async (t) => {
  const [a, b, c] = [await listener(t), await listener(t), await listener(t)];
  a.announce("runs");
  await waitFor("both to hear it", async () => b.heard.length + c.heard.length >= 2);
  a.announce("deliveries");
  await waitFor("both to hear it", async () => b.heard.length + c.heard.length >= 4);
  assert.deepEqual([b.heard, c.heard, a.heard], [["runs", "deliveries"], ["runs", "deliveries"], []]);
});

test("many announcements become few, and the last of them arrives", async (t) => {
  const [a, b] = [await listener(t), await listener(t)];
  for (let times = 0; times < 1000; times++) a.announce("runs");
  await waitFor("the first and the last", async () => b.heard.length >= 2);
  assert.ok(b.heard.length <= 3, String(b.heard.length));
});

test("a cut connection is opened again, and the node polls for what it missed", async (t) => {
  const [a, b] = [await listener(t), await listener(t)];
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  t.after(() => other.end());
  await other.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'rouse notifier' and datname = current_database()",
  );
  await waitFor("both to listen again", async () => a.heard.length >= 2 && b.heard.length >= 2);
  a.heard.length = 0;
  b.announce("deliveries");
  await waitFor("the announcement", async () => a.heard.includes("deliveries"));
});
