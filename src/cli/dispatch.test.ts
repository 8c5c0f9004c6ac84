import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { commandNames, loadAll } from "./catalogue.ts";
import { createFolder, createStoredHome } from "../../test/fixtures/command-line.ts";

test("the overview lists every command", async (t) => {
  const { rouse } = createFolder(t);
  for (const argv of [["--help"], ["-h"], ["help"]]) {
    const { code, stdout, stderr } = await rouse(argv);
    assert.equal(code, 0);
    assert.equal(stderr, "");
    for (const name of commandNames) assert.match(stdout, new RegExp(`^  ${name} +\\S`, "m"));
  }
});

test("every command has a help text with examples", async (t) => {
  const { rouse } = createFolder(t);
  for (const { name, help, summary } of await loadAll()) {
    assert.ok(commandNames.includes(name));
    assert.ok(summary.length < 70, name);
    for (const argv of [
      [name, "--help"],
      [name, "-h"],
      ["help", name],
    ])
      assert.deepEqual(await rouse(argv), { code: 0, stdout: `${help}\n`, stderr: "" });
    assert.match(help, new RegExp(`^Usage: rouse ${name}\\b`));
    const examples = help.split("Examples:\n")[1]?.split("\n") ?? [];
    assert.ok(examples.filter((line) => line.includes(`rouse ${name}`)).length >= 2, name);
    assert.match(help, /--config FILE/, name);
  }
});

test("--help after two dashes is text", async (t) => {
  const { code } = await createFolder(t).rouse(["send", "wake", "--", "--help"]);
  assert.equal(code, 1);
});

test("the version is the package's", async (t) => {
  const about = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const { code, stdout } = await createFolder(t).rouse(["--version"]);
  assert.equal(code, 0);
  assert.equal(stdout, `${(JSON.parse(about) as { version: string }).version}\n`);
});

test("an unknown command is wrong usage, with the nearest one suggested", async (t) => {
  const { rouse } = createFolder(t);
  const near = await rouse(["chekc"]);
  assert.equal(near.code, 2);
  assert.match(near.stderr, /no command chekc.*rouse check/);
  assert.equal((await rouse(["help", "chekc"])).code, 2);
  assert.equal((await rouse(["toString"])).code, 2);
  assert.equal((await rouse(["--config", "x"])).code, 2);
  const none = await rouse([]);
  assert.equal(none.code, 2);
  assert.match(none.stderr, /Usage: rouse COMMAND/);
  assert.equal(none.stdout, "");
});

test("an unknown option shows that command's usage, for every command", async (t) => {
  const { rouse } = createFolder(t);
  for (const name of commandNames) {
    const { code, stdout, stderr } = await rouse([name, "--confg", "x"]);
    assert.equal(code, 2, name);
    assert.equal(stdout, "", name);
    assert.match(stderr, /no option --confg. Did you mean --config\?/);
    assert.match(stderr, new RegExp(`^Usage: rouse ${name}`, "m"));
  }
});

test("a usage error is one message; any other fault is one line, with its stack only on demand", async (t) => {
  const { rouse } = createFolder(t);
  const missing = await rouse(["runs"]);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /^There is no config at .*rouse init.*\n$/);

  const { folder, rouse: other, env } = await createStoredHome(t);
  const database = new DatabaseSync(join(folder, "rouse.db"));
  database.exec("drop table run");
  database.close();
  const broken = await other(["runs"]);
  assert.equal(broken.code, 1);
  assert.match(broken.stderr, /^rouse: .*no such table: run\n$/);
  const debugged = await other(["runs"], { env: { ...env, ROUSE_DEBUG: "1" } });
  assert.match(debugged.stderr, /\n\s+at /);
});
