import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { loadConfig } from "../../config/load.ts";
import { revokeToken } from "../token/named.ts";
import {
  answering,
  createConfig,
  createFolder,
  createTestContext,
  hookToken,
  json,
} from "../../../test/fixtures/command-line.ts";

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

test("a named token is added, listed, rotated and revoked; comments stay", async (t) => {
  const { rouse, file } = createConfig(
    t,
    `{\n  // mine\n  "hooks": {\n    "enabled": true, "token": "${hookToken}", // main\n  },\n}\n`,
  );
  const named = () => {
    const loaded = loadConfig(file, {});
    assert.ok(loaded.ok);
    return loaded.config.hooks.namedTokens;
  };
  const added = await rouse(["token", "add", "ci", "--hooks", "agent, /wake/,agent"]);
  assert.equal(added.code, 0, added.stderr);
  const token = added.stdout.trim();
  assert.match(token, /^[\w-]{43}$/);
  assert.match(added.stderr, /opens agent, wake\. It is shown only now/);
  assert.deepEqual(named(), [
    { name: "ci", tokens: [token], hooks: ["agent", "wake"], results: null, callback: null },
  ]);

  const table = await rouse(["token", "list"]);
  assert.match(table.stdout, /^NAME +ACCEPTED +HOOKS\nci +1 +agent, wake\n$/);
  assert.deepEqual(json(await rouse(["token", "list", "--json"])), [
    { name: "ci", hooks: ["agent", "wake"], accepted: 1 },
  ]);

  const fresh = (await rouse(["token", "rotate", "ci"])).stdout.trim();
  assert.deepEqual(named()[0]?.tokens, [fresh, token]);
  assert.deepEqual(tokensOf(file), [hookToken]);
  assert.equal((await rouse(["token", "rotate", "ci", "--finish"])).code, 0);
  assert.deepEqual(named()[0]?.tokens, [fresh]);
  assert.match((await rouse(["token", "rotate", "ci", "--finish"])).stderr, /only one token ci/);

  const revoked = await rouse(["token", "revoke", "ci", "--yes"]);
  assert.equal(revoked.code, 0, revoked.stderr);
  assert.deepEqual(named(), []);
  assert.match((await rouse(["token", "list"])).stderr, /no named tokens/);
  const text = readFileSync(file, "utf8");
  assert.match(text, /\/\/ mine/);
  assert.match(text, /\/\/ main/);
  for (const { stdout, stderr } of [table, revoked]) assert.ok(!(stdout + stderr).includes(fresh));
});

test("token add as JSON; a hook that nothing takes is warned about", async (t) => {
  const { rouse } = createConfig(t);
  const added = await rouse(["token", "add", "ci", "--hooks", "build/*", "--json"]);
  const { name, token, hooks } = json(added) as { name: string; token: string; hooks: string[] };
  assert.deepEqual([name, token.length, hooks], ["ci", 43, ["build/*"]]);
  assert.match(added.stderr, /warning: hooks\.tokens\.ci\.hooks\[0\]: has no mapping/);
});

test("token add refuses a name that is taken, and names and hooks that cannot be", async (t) => {
  const { rouse, file } = createConfig(t);
  assert.equal((await rouse(["token", "add", "ci", "--hooks", "agent"])).code, 0);
  const before = readFileSync(file, "utf8");
  const again = await rouse(["token", "add", "ci", "--hooks", "wake"]);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /a token ci already.*rouse token rotate ci/);
  for (const argv of [
    ["add", "c i", "--hooks", "agent"],
    ["add", "x"],
    ["add"],
    ["add", "x", "--hooks", " , "],
    ["add", "x", "--hooks", "*"],
  ])
    assert.equal((await rouse(["token", ...argv])).code, 2, argv.join(" "));
  for (const verb of ["rotate", "revoke"]) {
    const unknown = await rouse(["token", verb, "gone"]);
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /There is no token gone/);
  }
  assert.equal(readFileSync(file, "utf8"), before);
});

test("token revoke asks on a terminal, and needs --yes without one", async (t) => {
  const { rouse, file } = createConfig(t);
  await rouse(["token", "add", "ci", "--hooks", "agent"]);
  const before = readFileSync(file, "utf8");
  const unasked = await rouse(["token", "revoke", "ci"]);
  assert.equal(unasked.code, 2);
  assert.match(unasked.stderr, /--yes/);
  const loaded = loadConfig(file, {});
  assert.ok(loaded.ok);
  const call = { context: createTestContext([]).context, config: loaded.config, json: false };
  const no = answering("n");
  await assert.rejects(revokeToken(call, "ci", { isSure: false }, no.terminal), /Nothing was changed/);
  assert.match(no.shown(), /Revoke the token ci\? Its callers get 401 at agent\./);
  assert.equal(readFileSync(file, "utf8"), before);
  assert.equal(await revokeToken(call, "ci", { isSure: false }, answering("y").terminal), 0);
  assert.notEqual(readFileSync(file, "utf8"), before);
});

test("other verbs are wrong usage, and an option goes with its verb only", async (t) => {
  const { rouse } = createConfig(t);
  for (const argv of [
    [],
    ["old"],
    ["new", "--finish"],
    ["new", "x"],
    ["list", "x"],
    ["list", "--yes"],
    ["rotate", "--hooks", "agent"],
    ["revoke"],
  ])
    assert.equal((await rouse(["token", ...argv])).code, 2, argv.join(" "));
});
