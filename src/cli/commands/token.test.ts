import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { loadConfig } from "../../config/load.ts";
import { createConfig, createFolder, hookToken, json } from "../../../test/fixtures/command-line.ts";

const tokensOf = (file: string) => {
  const loaded = loadConfig(file, {});
  assert.ok(loaded.ok);
  return loaded.config.hooks.tokens;
};

test("token new prints a fresh one and changes nothing", async (t) => {
  const { rouse } = createFolder(t);
  const [first, second] = [await rouse(["token", "new"]), await rouse(["token", "new"])];
  assert.match(first.stdout, /^[\w-]{43}\n$/);
  assert.notEqual(first.stdout, second.stdout);
});

test("a rotation keeps the old token until --finish, and always keeps the comments", async (t) => {
  const { rouse, file } = createConfig(
    t,
    `{\n  // mine\n  "hooks": { "enabled": true, "token": "${hookToken}" }\n}\n`,
  );
  const { code, stdout, stderr } = await rouse(["token", "rotate"]);
  const token = stdout.trim();
  assert.equal(code, 0, stderr);
  assert.match(stderr, /--finish/);
  assert.deepEqual(tokensOf(file), [token, hookToken]);
  const second = json(await rouse(["token", "rotate", "--json"])) as { token: string; kept: number };
  assert.equal(second.kept, 2);
  assert.deepEqual(tokensOf(file), [second.token, token, hookToken]);
  assert.equal((await rouse(["token", "rotate", "--finish"])).code, 0);
  assert.deepEqual(tokensOf(file), [second.token]);
  assert.match(readFileSync(file, "utf8"), /\/\/ mine/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.match((await rouse(["token", "rotate", "--finish"])).stderr, /nothing to finish/);
});

test("a token that is only a reference is not changed", async (t) => {
  const { rouse, file, folder, env } = createConfig(t, {
    hooks: { enabled: true, token: { file: "secret" } },
  });
  writeFileSync(join(folder, "secret"), hookToken);
  const before = readFileSync(file, "utf8");
  const inFile = await rouse(["token", "rotate"]);
  assert.equal(inFile.code, 1);
  assert.match(inFile.stderr, /from the file secret/);
  assert.equal(readFileSync(file, "utf8"), before);
  writeFileSync(file, JSON.stringify({ hooks: { enabled: true, token: "${HOOK}" } }));
  const inEnvironment = await rouse(["token", "rotate"], { env: { ...env, HOOK: hookToken } });
  assert.equal(inEnvironment.code, 1);
  assert.match(inEnvironment.stderr, /from the environment/);
});

test("other verbs are wrong usage", async (t) => {
  const { rouse } = createConfig(t);
  for (const argv of [[], ["old"], ["new", "--finish"], ["new", "x"]])
    assert.equal((await rouse(["token", ...argv])).code, 2);
});
