import assert from "node:assert/strict";
import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gatewayToken, hookToken, parse } from "../../../test/fixtures/config.ts";
import { loadConfig } from "../load.ts";
import { editConfig, homeOf, initialConfig, newToken, writeFileAtomic } from "./write.ts";
import { makeFolder } from "../../../test/support/folder.ts";

const folder = () => makeFolder("write");

test("the first config loads without problems and without warnings", () => {
  const file = join(folder(), "rouse.jsonc");
  const tokens = { hookToken: newToken(), gatewayToken: newToken() };
  writeFileAtomic(file, initialConfig(tokens));
  const result = loadConfig(file, {});
  assert.ok(result.ok);
  assert.deepEqual(result.warnings, []);
  assert.equal(result.config.hooks.enabled, true);
  assert.deepEqual(result.config.hooks.tokens, [tokens.hookToken]);
  assert.equal(result.config.gateway.auth.token, tokens.gatewayToken);
});

test("the first config's commented example works once its comments are taken off", () => {
  const text = initialConfig({ hookToken: "$${odd}-but-long-enough-token", gatewayToken });
  const result = parse(text.replace(/^( *)\/\/ (?=[ "[\]{}])/gm, "$1"));
  assert.ok(result.ok);
  assert.deepEqual(result.warnings, []);
  assert.deepEqual(
    result.config.agents.list.map(({ id, kind }) => ({ id, kind })),
    [{ id: "main", kind: "command" }],
  );
  assert.deepEqual(result.config.hooks.tokens, ["$${odd}-but-long-enough-token"]);
});

test("tokens are 256 random bits that can travel in a header", () => {
  const tokens = Array.from({ length: 100 }, newToken);
  assert.equal(new Set(tokens).size, 100);
  assert.ok(tokens.every((token) => /^[\w-]{43}$/.test(token)));
});

test("an edit keeps comments and everything else", () => {
  const before = initialConfig({ hookToken, gatewayToken });
  const after = editConfig(before, ["hooks", "token"], ["new-token-of-good-length!", hookToken]);
  const comments = (text: string) => text.split("\n").filter((line) => line.trim().startsWith("//"));
  assert.deepEqual(comments(after), comments(before));
  const result = parse(after);
  assert.ok(result.ok);
  assert.deepEqual(result.config.hooks.tokens, ["new-token-of-good-length!", hookToken]);
  assert.equal(result.config.gateway.auth.token, gatewayToken);
  const added = parse(editConfig(before, ["store", "leaseSeconds"], 20));
  assert.ok(added.ok);
  assert.equal(added.config.store.leaseSeconds, 20);
});

test("an atomic write replaces the text, sets the mode, and leaves nothing behind", () => {
  const home = folder();
  const file = join(home, "rouse.jsonc");
  writeFileSync(file, "old", { mode: 0o644 });
  writeFileAtomic(file, "new");
  assert.equal(readFileSync(file, "utf8"), "new");
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(home), ["rouse.jsonc"]);
  assert.throws(() => writeFileAtomic(join(home, "none", "x"), "new"), { code: "ENOENT" });
});

test("a linked config stays a link", () => {
  const home = folder();
  writeFileSync(join(home, "real.jsonc"), "old");
  symlinkSync("real.jsonc", join(home, "rouse.jsonc"));
  writeFileAtomic(join(home, "rouse.jsonc"), "new");
  assert.ok(lstatSync(join(home, "rouse.jsonc")).isSymbolicLink());
  assert.equal(readFileSync(join(home, "real.jsonc"), "utf8"), "new");
});

test("home is ROUSE_HOME, else .rouse in the user's home", () => {
  assert.equal(homeOf({ ROUSE_HOME: "/srv/rouse" }), "/srv/rouse");
  assert.equal(homeOf({ ROUSE_HOME: " ", HOME: "/home/x" }), "/home/x/.rouse");
});
