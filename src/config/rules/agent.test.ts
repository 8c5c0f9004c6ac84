import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultAgent } from "../config.ts";
import { configOf, problemsOf, warningsOf } from "../../../test/fixtures/config.ts";

const problems = (agents: object) => problemsOf({ agents });
const warnings = (agents: object) => warningsOf({ agents }).filter((line) => line.startsWith("agents"));

test("ids are unique after lower-casing", () => {
  assert.deepEqual(problems({ list: [{ id: "Ops" }, { id: "ops" }] }), [
    "agents.list[1].id: is the id of agents.list[0] already: choose another (upper and lower case are the same)",
  ]);
  assert.equal(configOf({ agents: { list: [{ id: " Ops " }] } }).agents.list[0]?.id, "ops");
});

test("only one agent is the default; without one it is the first", () => {
  assert.deepEqual(
    problems({
      list: [
        { id: "a", default: true },
        { id: "b", default: true },
      ],
    }),
    ["agents.list[1].default: is true for another agent already: only one can be the default"],
  );
  const chosen = (list: object[]) => {
    const built = configOf({ agents: { list } }).agents.list;
    assert.equal(built.filter((agent) => agent.default).length, 1);
    return defaultAgent(built).id;
  };
  assert.equal(chosen([{ id: "a" }, { id: "b" }]), "a");
  assert.equal(chosen([{ id: "a" }, { id: "b", default: true }]), "b");
});

test("a command agent needs its command, from the list or the defaults", () => {
  const missing = "is missing: an agent of kind command needs its program, or a preset";
  assert.deepEqual(problems({ list: [{ id: "a", kind: "command" }] }), [
    `agents.list[0].command: ${missing}`,
  ]);
  assert.deepEqual(
    problems({ defaults: { kind: "command" }, list: [{ id: "a" }, { id: "b", command: "x" }] }),
    [`agents.list[0].command: ${missing}`],
  );
  assert.deepEqual(problems({ defaults: { kind: "command" } }), [`agents.defaults.command: ${missing}`]);
  assert.deepEqual(problems({ defaults: { command: "x" }, list: [{ id: "a", kind: "command" }] }), []);
  assert.deepEqual(problems({ list: [{ id: "a", kind: "command", preset: "claude" }] }), []);
});

test("an alias names one model, and is no model's id", () => {
  const aliases = (models: object) => problems({ defaults: { models } });
  assert.deepEqual(aliases({ "a/b": { alias: "fast" }, "c/d": { alias: "fast" } }), [
    'agents.defaults.models["c/d"].alias: is the alias of another model already',
  ]);
  assert.deepEqual(aliases({ "a/b": { alias: "c/d" }, "c/d": {} }), [
    'agents.defaults.models["a/b"].alias: is the id of a model',
  ]);
  assert.deepEqual(aliases({ "a/b": { alias: "fast" }, "c/d": { alias: "smart" } }), []);
});

test("settings without effect are warnings", () => {
  assert.deepEqual(warnings({ list: [{ id: "a", command: "x" }] }), [
    'agents.list[0].command: has no effect on an agent of kind echo: add "kind": "command"',
  ]);
  assert.deepEqual(warnings({ list: [{ id: "a", kind: "command", command: "x", tools: ["read"] }] }), [
    "agents.list[0].tools: has no effect on an agent of kind command: it is for kind model",
  ]);
});

test("every kind has its required settings", () => {
  const of = (agent: object) => problems({ list: [{ id: "a", ...agent }] });
  assert.deepEqual(of({ kind: "acp" }), [
    "agents.list[0].command: is missing: an agent of kind acp needs its program",
  ]);
  assert.deepEqual(of({ kind: "http" }), [
    "agents.list[0].url: is missing: an agent of kind http needs its address",
  ]);
  assert.deepEqual(of({ kind: "http", url: "ftp://x" }), [
    "agents.list[0].url: must be an address such as http://127.0.0.1:11434/v1",
  ]);
  assert.deepEqual(of({ kind: "model" }), [
    "agents.list[0].model: is missing: an agent of kind model needs one",
  ]);
  assert.deepEqual(of({ kind: "model", model: "gpt" }), [
    "agents.list[0].model: must be provider/model, with the provider from models.providers",
  ]);
  assert.deepEqual(of({ kind: "model", model: "openai/gpt", tools: ["mcp:x"] }), [
    "agents.list[0].model: names the provider openai, which is not in models.providers",
    "agents.list[0].tools: has mcp:x, but there is no mcp.servers.x",
  ]);
  assert.match(of({ tools: ["shell"] })[0] ?? "", /tools\[0\]: must be read, list, search/);
});

test("a model agent finds its provider, also through an alias", () => {
  const providers = { local: { kind: "openai-compatible", baseUrl: "http://127.0.0.1:11434/v1" } };
  const defaults = { models: { "local/llama": { alias: "fast" } } };
  const agents = { defaults, list: [{ id: "a", kind: "model", model: "fast" }] };
  const found = problemsOf({ agents, models: { providers } });
  assert.deepEqual(found, []);
  assert.deepEqual(problemsOf({ models: { providers: { local: { kind: "openai-compatible" } } } }), [
    "models.providers.local.baseUrl: is missing: where is this server?",
  ]);
});
