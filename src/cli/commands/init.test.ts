import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { eventually } from "../../../test/fakes/clock.ts";
import { createFolder, createTestContext, json } from "../../../test/fixtures/command-line.ts";
import { command as serveCommand } from "./serve.ts";

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

test("the schema beside a config is that of this version after check and after a start, if Rouse wrote it", async (t) => {
  const { folder, rouse, env } = createFolder(t);
  await rouse(["init"]);
  const schema = join(folder, "rouse.schema.json");
  const current = readFileSync(schema, "utf8");
  const old = JSON.stringify({ title: "Configuration of Rouse", type: "object" });
  const after = async (text: string, use: () => Promise<unknown>) => {
    writeFileSync(schema, text);
    await use();
    return readFileSync(schema, "utf8");
  };
  const check = () => rouse(["check"]);
  assert.equal(await after(old, check), current);
  assert.equal(modeOf(schema), 0o644);
  for (const theirs of ['{ "title": "My own" }', "null", "{ not JSON"])
    assert.equal(await after(theirs, check), theirs);
  rmSync(schema);
  await check();
  assert.ok(!existsSync(schema));

  const start = async () => {
    const { context, written, signal } = createTestContext(["--port", "0"], { env });
    const started = serveCommand.run(context);
    await eventually(() => written.stdout.includes("listening"), "the gateway to listen");
    await eventually(() => readFileSync(schema, "utf8") !== old, "the schema to be refreshed");
    signal();
    assert.equal(await started, 0);
  };
  assert.equal(await after(old, start), current);
});
