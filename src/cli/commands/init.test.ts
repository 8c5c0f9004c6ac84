import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { createFolder, json } from "../../../test/fixtures/command-line.ts";

const modeOf = (path: string) => statSync(path).mode & 0o777;

test("init makes a home that only its owner can read, and a config that can be used", async (t) => {
  const { folder, rouse } = createFolder(t);
  const home = join(folder, "home");
  const env = { ROUSE_HOME: home };
  const { code, stdout } = await rouse(["init"], { env });
  const file = join(home, "rouse.jsonc");
  assert.equal(code, 0);
  assert.match(stdout, /rouse start/);
  assert.equal(modeOf(home), 0o700);
  assert.equal(modeOf(file), 0o600);
  assert.ok(JSON.parse(readFileSync(join(home, "rouse.schema.json"), "utf8")));
  assert.deepEqual(json(await rouse(["check", "--json"], { env })), {
    ok: true,
    file,
    problems: [],
    warnings: [],
  });
});

test("init overwrites nothing without --force", async (t) => {
  const { folder, rouse } = createFolder(t);
  const file = join(folder, "rouse.jsonc");
  await rouse(["init"]);
  const first = readFileSync(file, "utf8");
  const again = await rouse(["init"]);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /--force/);
  assert.equal(readFileSync(file, "utf8"), first);
  assert.equal((await rouse(["init", "--force"])).code, 0);
  assert.notEqual(readFileSync(file, "utf8"), first);
  assert.equal(modeOf(file), 0o600);
});

test("init writes where --config says", async (t) => {
  const { folder, rouse } = createFolder(t);
  const file = join(folder, "other", "mine.jsonc");
  assert.equal((await rouse(["init", "--config", file])).code, 0);
  assert.ok(existsSync(file));
  assert.equal((await rouse(["check", "--config", file])).code, 0);
});
