import assert from "node:assert/strict";
import { after, before, test, type TestContext } from "node:test";
import pg from "pg";
import { createDatabase } from "../../../test/support/postgres.ts";
import { waitFor } from "../../../test/support/gateway.ts";
import { createPostgresBell } from "./notifier.ts";
import type { Work } from "../ports/upkeep.ts";

let database: Awaited<ReturnType<typeof createDatabase>>;
before(async () => {
  database = await createDatabase();
});
after(() => database.drop());

/** Resolves when it listens: a connection that has just been made looks once by itself. */
async function ringer(t: TestContext) {
  const heard: Work[] = [];
  const bell = createPostgresBell({ url: database.url, random: () => 0.5 });
  t.after(() => bell.close());
  bell.listen({ runs: () => void heard.push("runs"), deliveries: () => void heard.push("deliveries") });
  await waitFor("the bell to listen", async () => heard.length === 2);
  heard.length = 0;
  return { ...bell, heard };
}

test("others hear a call, the caller does not", async (t) => {
  const [a, b, c] = [await ringer(t), await ringer(t), await ringer(t)];
  a.ring("runs");
  await waitFor("both to hear it", async () => b.heard.length + c.heard.length >= 2);
  a.ring("deliveries");
  await waitFor("both to hear it", async () => b.heard.length + c.heard.length >= 4);
  assert.deepEqual([b.heard, c.heard, a.heard], [["runs", "deliveries"], ["runs", "deliveries"], []]);
});

test("many calls become few, and the last of them is heard", async (t) => {
  const [a, b] = [await ringer(t), await ringer(t)];
  for (let times = 0; times < 1000; times++) a.ring("runs");
  await waitFor("the first and the last", async () => b.heard.length >= 2);
  assert.ok(b.heard.length <= 3, String(b.heard.length));
});

test("a cut connection is made again, and what was missed is looked for", async (t) => {
  const [a, b] = [await ringer(t), await ringer(t)];
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  t.after(() => other.end());
  await other.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'rouse bell' and datname = current_database()",
  );
  await waitFor("both to listen again", async () => a.heard.length >= 2 && b.heard.length >= 2);
  a.heard.length = 0;
  b.ring("deliveries");
  await waitFor("the call", async () => a.heard.includes("deliveries"));
});
