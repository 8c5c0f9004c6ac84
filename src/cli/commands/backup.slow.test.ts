import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { suite, test, type TestContext } from "node:test";
import { anAcceptance, anEvent } from "../../../test/builders/acceptance.ts";
import { aRun } from "../../../test/builders/run.ts";
import {
  createConfig,
  createStoredHome,
  createTestContext,
  json,
} from "../../../test/fixtures/command-line.ts";
import { systemClock } from "../../core/clock.ts";
import { newestVersion } from "../../store/migrations/migrate.ts";
import { acceptRuns } from "../../store/ports/harness.contract.ts";
import { openSqliteStore } from "../../store/sqlite/open.ts";
import { dispatch } from "../dispatch.ts";

const openAt = (path: string) => openSqliteStore({ path, clock: systemClock, leaseMs: 1000 });

async function openCopy(t: TestContext, path: string) {
  const store = await openAt(path);
  t.after(() => store.close());
  return store;
}

/** The store of a gateway that accepts without a pause, until it is told to stop. */
async function busyGateway(t: TestContext) {
  const home = createConfig(t);
  const store = await openAt(join(home.folder, "rouse.db"));
  const accepted: string[] = [];
  let goesOn = true;
  const accept = async (): Promise<void> => {
    while (goesOn) {
      const run = aRun({ hook: "x".repeat(200) });
      await store.accept(anAcceptance({ runs: [run] }));
      accepted.push(run.id);
    }
  };
  const accepting = Promise.all(Array.from({ length: 8 }, accept));
  t.after(async () => {
    goesOn = false;
    await accepting;
    await store.close();
  });
  return { ...home, accepted };
}

suite("rouse backup", () => {
  test("a copy under writing has everything that was accepted before the command, and a gateway opens it", async (t) => {
    const { folder, rouse, accepted } = await busyGateway(t);
    while (accepted.length < 500) await new Promise(setImmediate);
    const before = [...accepted];
    const file = join(folder, "copy.db");
    const { code, stdout, stderr } = await rouse(["backup", "copy.db"], { folder });
    assert.equal(code, 0, stderr);
    const about =
      /^The store is copied to (.*): ([\d.]+ [kM]B), schema (\d+), checked, in [\d.]+ s\. Keep/.exec(stdout);
    assert.deepEqual([about?.[1], about?.[3]], [file, String(newestVersion)]);
    // The gateway goes on.
    while (accepted.length <= before.length) await new Promise(setImmediate);

    const copy = await openCopy(t, file);
    const there = new Set((await copy.listRuns({ kind: "hook", limit: null })).map(({ id }) => id));
    assert.deepEqual(
      before.filter((id) => !there.has(id)),
      [],
    );
    const more = aRun();
    await acceptRuns(copy, more);
    assert.ok(await copy.findRun(more.id), "the copy takes work");
  });

  test("it is one file for its owner alone, and says its size as JSON", async (t) => {
    const { folder, rouse, store } = await createStoredHome(t);
    await store.accept(anAcceptance({ events: [anEvent()] }));
    mkdirSync(join(folder, "out"));
    const file = join(folder, "out", "copy.db");
    const told = json(await rouse(["backup", file, "--json"])) as Record<string, unknown>;
    const { tookMs, ...rest } = told;
    assert.equal(typeof tookMs, "number");
    assert.deepEqual(rest, { file, bytes: statSync(file).size, schema: newestVersion });
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(join(folder, "out")), ["copy.db"]);
  });

  test("a file that is there stays, and --force replaces it whole", async (t) => {
    const { folder, rouse } = await createStoredHome(t);
    const file = join(folder, "copy.db");
    writeFileSync(file, "mine");
    const refused = await rouse(["backup", file]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /copy\.db is there already\. .*--force/);
    assert.equal(readFileSync(file, "utf8"), "mine");
    assert.equal((await rouse(["backup", file, "--force"])).code, 0);
    await openCopy(t, file);
  });

  test("the store's own files are never replaced, by whatever name", async (t) => {
    const { folder, rouse, store } = await createStoredHome(t);
    await acceptRuns(store, aRun());
    symlinkSync(join(folder, "rouse.db"), join(folder, "link.db"));
    for (const name of ["rouse.db", "rouse.db-wal", "rouse.db.lock", "link.db"]) {
      const { code, stderr } = await rouse(["backup", name, "--force"], { folder });
      assert.equal(code, 1, name);
      assert.match(stderr, /belongs to the store itself/);
    }
    assert.equal((await store.listRuns({ kind: "hook", limit: null })).length, 1);
  });

  test("what cannot be backed up is said, and leaves no file behind", async (t) => {
    const { folder, rouse } = await createStoredHome(t);
    const gone = await rouse(["backup", join(folder, "no", "copy.db")]);
    assert.deepEqual([gone.code, /There is no folder .*no: make it first/.test(gone.stderr)], [1, true]);
    const place = await rouse(["backup", folder]);
    assert.deepEqual([place.code, /is a folder/.test(place.stderr)], [1, true]);

    const empty = createConfig(t);
    const none = await empty.rouse(["backup", join(empty.folder, "copy.db")]);
    assert.deepEqual([none.code, /nothing to back up/.test(none.stderr)], [1, true]);
    new DatabaseSync(join(empty.folder, "rouse.db")).exec("create table other(a)");
    const other = await empty.rouse(["backup", join(empty.folder, "copy.db")]);
    assert.deepEqual([other.code, /is no store of Rouse/.test(other.stderr)], [1, true], other.stderr);
    writeFileSync(join(empty.folder, "rouse.db"), "x".repeat(5000));
    const damaged = await empty.rouse(["backup", join(empty.folder, "copy.db")]);
    assert.match(damaged.stderr, /^The backup could not be made: the file is not a database\. /);
    assert.deepEqual(readdirSync(empty.folder).toSorted(), ["rouse.db", "rouse.jsonc"]);
    assert.equal((await rouse(["backup"])).code, 2);
  });

  test("a store from before an upgrade can be copied: nothing migrates it", async (t) => {
    const { folder, rouse } = await createStoredHome(t);
    const database = new DatabaseSync(join(folder, "rouse.db"));
    database.exec(`delete from migration where version = ${newestVersion}`);
    database.close();
    const told = json(await rouse(["backup", join(folder, "copy.db"), "--json"])) as { schema: number };
    assert.equal(told.schema, newestVersion - 1);
  });

  test("stopped in the middle, it leaves nothing behind", async (t) => {
    const { folder, env } = await createStoredHome(t);
    const unfinished = () => readdirSync(folder).filter((name) => name.endsWith(".tmp"));
    const left: string[][] = [];
    const { context } = createTestContext(["backup", join(folder, "copy.db")], {
      env,
      onStopSignal(listener) {
        const stopInTheMiddle = (): unknown =>
          unfinished().length > 0 ? listener() : setImmediate(stopInTheMiddle);
        setImmediate(stopInTheMiddle);
      },
      exit: () => void left.push(unfinished()),
    });
    // A process would have ended there.
    assert.equal(await dispatch(context), 1);
    assert.deepEqual(left, [[]]);
    assert.deepEqual(unfinished(), []);
  });

  test("with PostgreSQL it says how, and shows no address", async (t) => {
    const url = "postgres://rouse:secret@127.0.0.1:1/rouse";
    const { rouse } = createConfig(t, { gateway: { auth: { token: "t".repeat(24) } }, store: { url } });
    const { code, stdout, stderr } = await rouse(["backup", "copy.db"]);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /pg_dump --format=custom --file=rouse\.dump "\$DATABASE_URL"/);
    assert.ok(!stderr.includes("secret"));
  });
});
