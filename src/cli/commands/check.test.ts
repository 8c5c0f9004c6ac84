import assert from "node:assert/strict";
import test from "node:test";
import { createConfig, createFolder, hookToken, json } from "../../../test/fixtures/command-line.ts";

test("a good config can be used", async (t) => {
  const { rouse, file } = createConfig(t);
  const { code, stdout } = await rouse(["check"]);
  assert.equal(code, 0);
  assert.equal(stdout, `${file} can be used.\n`);
  assert.deepEqual(json(await rouse(["check", "--json"])), { ok: true, file, problems: [], warnings: [] });
});

test("every problem is listed at once, with its path and line", async (t) => {
  const text = `{
  "gateway": { "port": "many", "auth": { "token": "${hookToken}" } },
  "hooks": { "enabled": true, "token": "${hookToken}", "paht": "/x" },
}`;
  const { rouse } = createConfig(t, text);
  const { code, stdout } = await rouse(["check"]);
  assert.equal(code, 1);
  assert.match(stdout, /^problem  gateway\.port: .*\(line 2, column \d+\)$/m);
  assert.match(stdout, /^problem  hooks\.paht: .*\(line 3, column \d+\)$/m);
  assert.match(stdout, /^problem  hooks\.token: .*gateway\.auth\.token/m);
  assert.doesNotMatch(stdout, new RegExp(hookToken));
  const result = json(await rouse(["check", "--json"])) as { ok: boolean; problems: { line: number }[] };
  assert.equal(result.ok, false);
  assert.equal(result.problems[0]?.line, 2);
});

test("warnings are shown and do not fail", async (t) => {
  const { rouse } = createConfig(t, { hooks: { enabled: true, token: "short" } });
  const { code, stdout } = await rouse(["check"]);
  assert.equal(code, 0);
  assert.match(stdout, /^warning  hooks\.token: .*shorter/m);
});

test("a missing config is a failure that says what to do", async (t) => {
  const { code, stderr } = await createFolder(t).rouse(["check"]);
  assert.equal(code, 1);
  assert.match(stderr, /rouse init/);
});

test("a missing instructions file is a problem, where the agent or the defaults name it", async (t) => {
  const hooks = { enabled: true, token: hookToken };
  const instructions = { file: "me.md" };
  for (const [agents, path] of [
    [{ list: [{ id: "a" }, { id: "b", instructions }] }, "agents.list[1].instructions"],
    [{ defaults: { instructions } }, "agents.defaults.instructions"],
  ] as const) {
    const { rouse } = createConfig(t, { hooks, agents });
    const { code, stdout } = await rouse(["check"]);
    assert.equal(code, 1);
    const problem = stdout.split("\n").find((line) => line.startsWith("problem")) ?? "";
    assert.ok(problem.startsWith(`problem  ${path}: the instructions file cannot be read (ENOENT)`), problem);
    assert.match(problem, /workspaces\/(b|main)\/me\.md \(line \d+/);
  }
});
