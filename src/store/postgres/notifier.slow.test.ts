import assert from "node:assert/strict";
import { after, before, test, type TestContext } from "node:test";
import pg from "pg";
import { createDatabase } from "../../../test/support/postgres.ts";
import { waitFor } from "../../../test/support/gateway.ts";
import { createPostgresNotifier } from "./notifier.ts";
import type { Change } from "../../core/change.ts";
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
  const changes: Change[] = [];
  notifier.listen({
    runs: () => void heard.push("runs"),
    deliveries: () => void heard.push("deliveries"),
    changes: (told) => void changes.push(...told),
  });
  await waitFor("the notifier to listen", async () => heard.length === 2 && changes.length === 1);
  assert.deepEqual(changes, [{ kind: "many" }], "some may have been missed before");
  heard.length = 0;
  changes.length = 0;
  return { ...notifier, heard, changes };
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

test("changes reach the other nodes as they are, and what is too long for one announcement is told as many", async (t) => {
  const [a, b] = [await listener(t), await listener(t)];
  const told: Change[] = [
    { kind: "run", id: "one", status: "running" },
    { kind: "hook", id: 'a "name" of ü and \u0007', status: null },
  ];
  a.announceChanges(told);
  await waitFor("the changes", async () => b.changes.length === 2);
  assert.deepEqual(b.changes, told);
  const long = Array.from({ length: 100 }, (_, at): Change => ({
    kind: "hook",
    id: `${at}${"ü".repeat(99)}`,
    status: null,
  }));
  a.announceChanges(long);
  await waitFor("the announcement", async () => b.changes.length === 3);
  assert.deepEqual(b.changes[2], { kind: "many" });
  assert.deepEqual(a.changes, []);
});

test("what another version tells in a form of its own means that anything may have changed", async (t) => {
  const { changes } = await listener(t);
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  t.after(() => other.end());
  for (const text of ["x no json", 'x {"kind":"run"}', 'x [["planet","id",null]]', 'x [["run",7]]'])
    await other.query("select pg_notify('rouse_changes', $1)", [text]);
  await waitFor("all of them", async () => changes.length === 4);
  assert.deepEqual(new Set(changes.map(({ kind }) => kind)), new Set(["many"]));
});
