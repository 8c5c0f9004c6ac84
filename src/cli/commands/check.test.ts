import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import {
  createConfig,
  createFolder,
  gatewayToken,
  hookToken,
  json,
} from "../../../test/fixtures/command-line.ts";

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

test("a pattern that cannot be read is a problem, with its line and its place", async (t) => {
  const { rouse } = createConfig(t, {
    gateway: { auth: { token: gatewayToken } },
    hooks: {
      enabled: true,
      token: hookToken,
      mappings: [
        {
          match: { path: "ci", payload: { "jobs[*].name": [{ not: { matches: "deploy(?=x)" } }] } },
          messageTemplate: "m",
        },
      ],
    },
  });
  const { code, stdout } = await rouse(["check"]);
  assert.equal(code, 1);
  assert.match(
    stdout,
    /^problem {2}hooks\.mappings\[0\]\.match\.payload\["jobs\[\*\]\.name"\]: matches: is no pattern of RE2: invalid or unsupported Perl syntax at column 7 of "deploy\(\?=x\)" \(line \d+/m,
  );
});

test("a mapping is compared with its example payloads", async (t) => {
  const { rouse, folder } = createConfig(t, {
    gateway: { auth: { token: gatewayToken } },
    hooks: {
      enabled: true,
      token: hookToken,
      mappings: [
        {
          match: { path: "ci", headers: { "x-event": "run" }, payload: { action: "done" } },
          messageTemplate: "{{ workflow_run.name }}: {{ url }}{% if a %}{{ b }}{% endif %}",
          examples: ["payloads/a.json", { payload: "payloads/b.json", headers: "payloads/b.txt" }],
        },
        { match: { path: "odd" }, messageTemplate: "m", examples: ["gone.json", "payloads/b.txt"] },
      ],
    },
  });
  mkdirSync(join(folder, "payloads"));
  const write = (name: string, text: string) => writeFileSync(join(folder, "payloads", name), text);
  write("a.json", '{"action":"done","url":"x"}');
  write("b.json", '{"action":"started","url":"x","a":1}');
  write("b.txt", "X-Event: run\nCookie: c\n");
  const checked = await rouse(["check", "--json"]);
  assert.equal(checked.code, 0);
  const { ok, warnings } = json(checked) as {
    ok: boolean;
    warnings: { path: string; message: string; line?: number }[];
  };
  assert.equal(ok, true);
  assert.deepEqual(
    warnings.map(({ path, message }) => `${path}: ${message.replaceAll(folder, "HOME")}`),
    [
      "hooks.mappings[0].messageTemplate: none of the example payloads has workflow_run.name",
      "hooks.mappings[1].examples[0]: HOME/gone.json cannot be read (ENOENT)",
      "hooks.mappings[1].examples[1]: HOME/payloads/b.txt is not JSON",
    ],
  );
  assert.ok(warnings.every(({ line }) => line !== undefined));
  write("b.txt", "no header");
  const { stdout } = await rouse(["check"]);
  assert.match(stdout, /^warning {2}hooks\.mappings\[0\]\.examples\[1\]: Line 1 of .*b\.txt must be a name/m);
});

test("a mapping with an unknown agent: a warning, or with agents.unknown refuse a problem", async (t) => {
  const config = (unknown: string) => ({
    gateway: { auth: { token: gatewayToken } },
    hooks: { enabled: true, token: hookToken, mappings: [{ messageTemplate: "m", agentId: "opps" }] },
    agents: { unknown, list: [{ id: "ops" }] },
  });
  const lenient = await createConfig(t, config("default")).rouse(["check"]);
  assert.equal(lenient.code, 0);
  assert.match(lenient.stdout, /^warning {2}hooks\.mappings\[0\]\.agentId: .*; did you mean ops\?/m);
  const strict = await createConfig(t, config("refuse")).rouse(["check"]);
  assert.equal(strict.code, 1);
  assert.match(
    strict.stdout,
    /^problem {2}hooks\.mappings\[0\]\.agentId: is the id of no agent; did you mean ops\?/m,
  );
});
