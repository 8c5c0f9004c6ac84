import assert from "node:assert/strict";
import { renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { loadConfig, type LoadResult } from "./load.ts";
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
  t.after(watchConfig({ file, env: {}, onChange, intervalMs: 20 }));
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

test("what changed between loading and watching is not missed", async (t) => {
  const file = join(makeFolder("watch"), "rouse.jsonc");
  writeFileSync(file, withPath("a"));
  const loaded = loadConfig(file, {});
  writeFileSync(file, withPath("b"));
  const result = await new Promise<LoadResult>((resolve) => {
    t.after(watchConfig({ file, env: {}, loaded, onChange: resolve, intervalMs: 20 }));
  });
  assert.equal(pathOf(result), "/b");
});
