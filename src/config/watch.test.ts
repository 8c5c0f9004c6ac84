import assert from "node:assert/strict";
import { renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createFakeClock, eventually } from "../../test/fakes/clock.ts";
import { systemClock } from "../core/clock.ts";
import { loadConfig, type LoadResult } from "./load.ts";
import { createFileReader, scanFiles } from "./read/files.ts";
import { watchConfig } from "./watch.ts";
import { writeFileAtomic } from "./write/write.ts";
import { makeFolder } from "../../test/support/folder.ts";

const withPath = (path: string) => `{ "hooks": { "path": "/${path}" } }`;
const pathOf = (result: LoadResult) => (result.ok ? result.config.hooks.path : null);

function start(t: TestContext, text: string) {
  const folder = makeFolder("watch");
  const file = join(folder, "rouse.jsonc");
  writeFileSync(file, text, { mode: 0o600 });
  const waiting: ((result: LoadResult) => void)[] = [];
  const seen: LoadResult[] = [];
  const onChange = (result: LoadResult) => {
    seen.push(result);
    waiting.shift()?.(result);
  };
  t.after(watchConfig({ file, env: {}, clock: systemClock, onChange, intervalMs: 20 }));
  return { folder, file, seen, next: () => new Promise<LoadResult>((resolve) => waiting.push(resolve)) };
}

test("a change is reported, also after an atomic replace, and again after that", async (t) => {
  const { file, seen, next } = start(t, withPath("a"));
  for (const path of ["b", "c", "d"]) {
    const change = next();
    writeFileAtomic(file, withPath(path));
    assert.equal(pathOf(await change), `/${path}`);
  }
  assert.equal(seen.length, 3);
});

test("a touched file with the same content is no change", async (t) => {
  const { file, seen, next } = start(t, withPath("a"));
  utimesSync(file, new Date(), new Date(0));
  writeFileAtomic(file, withPath("a"));
  const change = next();
  writeFileSync(file, withPath("b"));
  assert.equal(pathOf(await change), "/b");
  assert.equal(seen.length, 1);
});

test("a broken, then a vanished, then a mended file: each is reported", async (t) => {
  const { file, next } = start(t, withPath("a"));
  const broken = next();
  writeFileSync(file, "{");
  assert.equal((await broken).ok, false);
  const vanished = next();
  rmSync(file);
  const result = await vanished;
  assert.ok(!result.ok);
  assert.match(result.problems[0]?.message ?? "", /cannot be read/);
  const mended = next();
  writeFileSync(file, withPath("b"));
  assert.equal(pathOf(await mended), "/b");
});

test("a secret file's change is a change", async (t) => {
  const { folder, file, next } = start(t, "{}");
  const secret = join(folder, "token");
  writeFileSync(secret, "first-token-of-good-length");
  const named = next();
  writeFileSync(file, '{ "hooks": { "enabled": true, "token": { "file": "token" } } }');
  const before = await named;
  assert.ok(before.ok);
  assert.deepEqual(before.config.hooks.tokens, ["first-token-of-good-length"]);
  const rotated = next();
  writeFileSync(`${secret}.new`, "second-token-of-good-length");
  renameSync(`${secret}.new`, secret);
  const after = await rotated;
  assert.ok(after.ok);
  assert.deepEqual(after.config.hooks.tokens, ["second-token-of-good-length"]);
});

test("a change between loading and watching is reported", async (t) => {
  const file = join(makeFolder("watch"), "rouse.jsonc");
  writeFileSync(file, withPath("a"));
  const loaded = loadConfig(file, {});
  writeFileSync(file, withPath("b"));
  const result = await new Promise<LoadResult>((resolve) => {
    const options = { file, env: {}, clock: systemClock, loaded, intervalMs: 20 };
    t.after(watchConfig({ ...options, onChange: resolve }));
  });
  assert.equal(pathOf(result), "/b");
});

/** A watch whose scans end when the test says so. */
function startSlow() {
  const file = join(makeFolder("watch"), "rouse.jsonc");
  writeFileSync(file, withPath("a"));
  const clock = createFakeClock();
  const scans: PromiseWithResolvers<string>[] = [];
  const now = () => {
    scans.push(Promise.withResolvers<string>());
    return scans.at(-1)!.promise;
  };
  const seen: LoadResult[] = [];
  const onChange = (result: LoadResult) => void seen.push(result);
  const stop = watchConfig({ file, env: {}, clock, onChange, also: { now, known: "old" } });
  const scanned = async (index: number, fingerprint: string) => {
    scans[index]!.resolve(fingerprint);
    await eventually(() => clock.waiting() === 1, "the end of the scan");
  };
  return { clock, scans, seen, stop, scanned };
}

test("a scan starts only after the one before it has ended", async () => {
  const { clock, scans, seen, stop, scanned } = startSlow();
  await clock.advance(1000);
  assert.equal(scans.length, 1);
  await clock.advance(60_000);
  assert.equal(scans.length, 1, "a slow scan is not overtaken");
  await scanned(0, "new");
  assert.equal(seen.length, 0, "a single scan is not reported");
  await clock.advance(1000);
  assert.equal(scans.length, 2);
  await scanned(1, "new");
  assert.equal(seen.length, 1);
  stop();
  assert.equal(clock.waiting(), 0);
});

test("nothing is reported after the watch has ended, also by a scan in progress", async () => {
  const { clock, scans, seen, stop, scanned } = startSlow();
  await clock.advance(1000);
  await scanned(0, "new");
  await clock.advance(1000);
  stop();
  scans[1]!.resolve("new");
  await clock.advance(60_000);
  assert.deepEqual([scans.length, seen.length, clock.waiting()], [2, 0, 0]);
});

test("a scan has the same fingerprint as a load, readable or not, and reads no pipe", async () => {
  const folder = makeFolder("watch");
  const text = join(folder, "text");
  const bytes = join(folder, "bytes");
  const large = join(folder, "large");
  writeFileSync(text, "{}");
  writeFileSync(bytes, Buffer.from([0xff, 0xfe]));
  writeFileSync(large, "x".repeat(4_194_305));
  const files = [text, bytes, large, folder, join(folder, "missing")];
  const reader = createFileReader();
  for (const file of files) {
    try {
      reader.read(file);
    } catch {
      continue;
    }
  }
  assert.equal(await scanFiles(files), reader.fingerprint());
  writeFileSync(text, "[]");
  assert.notEqual(await scanFiles(files), reader.fingerprint());
});
