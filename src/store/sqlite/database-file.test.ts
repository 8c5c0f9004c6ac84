import assert from "node:assert/strict";
import { chmodSync, linkSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { makeFolder } from "../../../test/support/folder.ts";
import { aRun } from "../../../test/builders/run.ts";
import { StoreUnavailable, UsageError } from "../../core/errors.ts";
import { acceptRuns, createTestClock, leaseMs } from "../ports/harness.contract.ts";
import { openSqliteFile } from "./file.ts";
import { openSqliteStore } from "./open.ts";

const clock = createTestClock();
const open = (path: string) => openSqliteStore({ path, clock, leaseMs });
const newPath = (): string => join(makeFolder("database-file"), "rouse.db");

test("a second gateway is refused when its path is a symbolic link to the first one's file", async () => {
  const path = newPath();
  const toFile = join(dirname(path), "linked.db");
  const toFolder = join(makeFolder("database-file"), "home");
  symlinkSync(path, toFile);
  symlinkSync(dirname(path), toFolder);
  const first = await open(toFile);
  for (const other of [path, toFile, join(toFolder, basename(path)), join(toFolder, "linked.db")])
    await assert.rejects(open(other), /Another gateway is running/, other);
  const command = await openSqliteFile({ path: join(toFolder, "linked.db"), clock });
  const queued = aRun();
  await acceptRuns(command, queued);
  await command.close();
  assert.ok(await first.findRun(queued.id));
  await first.close();
  await (await open(path)).close();
});

test("a file with a second hard link is refused: the two names would have a write-ahead log each", async () => {
  const path = newPath();
  const other = join(dirname(path), "other.db");
  const first = await open(path);
  linkSync(path, other);
  for (const name of [other, path]) {
    await assert.rejects(open(name), (fault: unknown) => {
      assert.ok(fault instanceof UsageError);
      assert.match(fault.message, /has 2 names \(hard links\)/);
      return true;
    });
    await assert.rejects(openSqliteFile({ path: name, clock }), /hard links/);
  }
  await first.close();
});

test("all files of the store can be read by their owner alone, whatever the umask and older files say", async () => {
  const path = newPath();
  const older = new DatabaseSync(path);
  older.exec("pragma journal_mode = wal; create table earlier(id)");
  writeFileSync(`${path}.lock`, "");
  const files = readdirSync(dirname(path));
  assert.deepEqual(files.toSorted(), ["rouse.db", "rouse.db-shm", "rouse.db-wal", "rouse.db.lock"]);
  for (const file of files) chmodSync(join(dirname(path), file), 0o644);
  const fresh = newPath();
  const umask = process.umask(0o022);
  try {
    for (const each of [path, fresh]) {
      const store = await open(each);
      await acceptRuns(store, aRun());
      const modes = modesIn(dirname(each));
      await store.close();
      for (const file of files) assert.ok(file in modes, file);
      for (const [file, mode] of Object.entries(modes)) assert.equal(mode, "600", file);
    }
  } finally {
    process.umask(umask);
    older.close();
  }
});

test("a folder in place of the file, and a folder that is missing, are clear errors", async () => {
  const folder = makeFolder("database-file");
  mkdirSync(join(folder, "rouse.db"));
  await assert.rejects(open(join(folder, "rouse.db")), StoreUnavailable);
  await assert.rejects(open(join(folder, "none", "rouse.db")), StoreUnavailable);
});

const modesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder).map((file) => [file, (statSync(join(folder, file)).mode & 0o777).toString(8)]),
  );
