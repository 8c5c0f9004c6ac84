// `env` of agents and MCP servers: names to pass on, or values that are secrets.
import assert from "node:assert/strict";
import { test } from "node:test";
import { configOf, problemsOf, warningsOf } from "../../../test/fixtures/config.ts";
import { isSecret } from "../schema/lookup.ts";
import { settingsSchema } from "../schema/index.ts";

const files = { "/home/rouse/keys/one": "key-in-a-file\n" };
const env = { KEY: "key-in-a-variable" };
const agentWith = (variables: unknown) => ({
  agents: { list: [{ id: "a", kind: "command", command: "x", env: variables }] },
});
const serverWith = (variables: unknown) => ({ mcp: { servers: { s: { command: "x", env: variables } } } });

const written = {
  FROM_FILE: { file: "keys/one" },
  FROM_VARIABLE: "Bearer ${KEY}",
  LITERAL: "$${x}",
  EMPTY: "",
};
const read = {
  FROM_FILE: "key-in-a-file",
  FROM_VARIABLE: "Bearer key-in-a-variable",
  LITERAL: "${x}",
  EMPTY: "",
};

test("values are text, references to variables, or files", () => {
  const agent = configOf(agentWith(written), { env, files }).agents.list[0]!;
  assert.deepEqual("env" in agent && agent.env, read);
  const server = configOf(serverWith(written), { env, files }).mcp["s"]!;
  assert.deepEqual("env" in server && server.env, read);
});

test("names to pass on stay a list, and an agent's own replace the defaults", () => {
  const { list } = configOf({
    agents: {
      defaults: { kind: "command", command: "x", env: ["A"] },
      list: [{ id: "a" }, { id: "b", env: { B: "1" } }],
    },
  }).agents;
  assert.deepEqual(
    list.map((agent) => "env" in agent && agent.env),
    [["A"], { B: "1" }],
  );
  const server = configOf({ mcp: { servers: { s: { command: "x" } } } }).mcp["s"]!;
  assert.deepEqual("env" in server && server.env, []);
});

const name = "must be the name of an environment variable";
const runs = "is a variable that Rouse sets for each run";
const cases: [string, unknown, string, string][] = [
  ["a name with an equals sign", { "A=B": "1" }, '["A=B"]', name],
  ["a name with a zero character", { "A\u0000": "1" }, '["A\\u0000"]', name],
  ["an empty name", { "": "1" }, '[""]', name],
  ["a variable of the run", { ROUSE_RUN_ID: "1" }, ".ROUSE_RUN_ID", runs],
  ["the workspace", { ROUSE_WORKSPACE: "/" }, ".ROUSE_WORKSPACE", runs],
  ["a value that is no text", { A: 5 }, ".A", 'must be text, or { "file": … }, not a number'],
  ["a value with a zero character", { A: "hush\u0000" }, ".A", "must not have a zero character in it"],
  ["a value that no system takes", { A: "hush".repeat(30_000) }, ".A", "must have at most 100000 bytes"],
  [
    "a variable that is not set",
    { A: "${NOT_SET}" },
    ".A",
    "the environment variable NOT_SET is not set: set it where Rouse is started",
  ],
  [
    "a file that is not there",
    { A: { file: "none" } },
    ".A",
    "there is no file of this name (ENOENT); names are relative to /home/rouse",
  ],
  ["neither of both", "A", "", "must be a list of names, or an object of names and values, not text"],
];
for (const [what, variables, at, message] of cases)
  test(`${what} is a problem, and no value is shown`, () => {
    for (const [path, settings] of [
      ["agents.list[0].env", agentWith(variables)],
      ["mcp.servers.s.env", serverWith(variables)],
    ] as const) {
      const problems = problemsOf(settings);
      assert.deepEqual(problems, [`${path}${at}: ${message}`]);
      assert.doesNotMatch(problems.join(), /hush/);
    }
  });

test("a variable that is called file is a variable", () => {
  assert.equal(isSecret(settingsSchema, ["agents", "list", 0, "env"]), false);
  const agent = configOf(agentWith({ file: "x" })).agents.list[0]!;
  assert.deepEqual("env" in agent && agent.env, { file: "x" });
});

test("input has no effect beside a preset, and on agents without a program", () => {
  const warnings = (agent: object) =>
    warningsOf({ agents: { list: [{ id: "a", input: "json", ...agent }] } }).filter((line) =>
      line.startsWith("agents"),
    );
  assert.deepEqual(warnings({ kind: "command", command: "x" }), []);
  assert.deepEqual(warnings({ kind: "command", preset: "claude" }), [
    "agents.list[0].input: has no effect beside a preset, which gets the prompt",
  ]);
  assert.deepEqual(warnings({ kind: "acp", command: "x" }), [
    "agents.list[0].input: has no effect on an agent of kind acp: it is for kind command",
  ]);
});
