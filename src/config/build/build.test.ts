import assert from "node:assert/strict";
import { test } from "node:test";
import { configOf } from "../../../test/fixtures/config.ts";

test("settings that an agent lacks come from the defaults", () => {
  const defaults = {
    kind: "command",
    command: "agent",
    args: ["-p", ""],
    env: ["KEY"],
    model: "a/b",
    thinking: "low",
    instructions: "Be kind.",
    outputLimitBytes: 10,
  };
  const list = [{ id: "a" }, { id: "b", kind: "echo" }, { id: "c", model: "c/d", args: [], workspace: "w" }];
  const common = {
    instructions: "Be kind.",
    instructionsFile: null,
    fallback: null,
    thinking: "low",
    tools: [],
  };
  const program = {
    kind: "command",
    preset: null,
    input: "prompt",
    command: "agent",
    env: ["KEY"],
    outputLimitBytes: 10,
  };
  const home = "/home/rouse";
  assert.deepEqual(configOf({ agents: { defaults, list } }).agents.list, [
    {
      id: "a",
      default: true,
      workspace: `${home}/workspaces/a`,
      ...common,
      model: "a/b",
      ...program,
      args: ["-p", ""],
    },
    { id: "b", default: false, workspace: `${home}/workspaces/b`, ...common, model: "a/b", kind: "echo" },
    { id: "c", default: false, workspace: `${home}/w`, ...common, model: "c/d", ...program, args: [] },
  ]);
});

test("an empty list means the one agent main, with the defaults", () => {
  const [agent] = configOf({ agents: { list: [], defaults: { kind: "command", command: "x" } } }).agents.list;
  assert.deepEqual([agent?.id, agent?.kind, agent?.default], ["main", "command", true]);
});

test("paths are relative to the file; a bare command is looked up on the PATH", () => {
  const command = (written: string) => {
    const [agent] = configOf({ agents: { list: [{ id: "a", kind: "command", command: written }] } }).agents
      .list;
    return agent?.kind === "command" ? agent.command : null;
  };
  assert.equal(command("python3"), "python3");
  assert.equal(command("./run.sh"), "/home/rouse/run.sh");
  assert.equal(command("/bin/cat"), "/bin/cat");
  assert.equal(configOf({ store: { path: "../data/x.db" } }).store.path, "/home/data/x.db");
  const [agent] = configOf({ agents: { list: [{ id: "a", workspace: "~/x" }] } }).agents.list;
  assert.equal(agent?.workspace, "/home/rouse/~/x");
});

test("allowed agent ids are trimmed and lower-cased; * means any, none means none", () => {
  const allowed = (allowedAgentIds?: string[]) =>
    configOf({ hooks: { allowedAgentIds } }).hooks.allowedAgentIds;
  assert.equal(allowed(), null);
  assert.deepEqual(allowed([]), []);
  assert.deepEqual(allowed([" Ops", "main"]), ["ops", "main"]);
  assert.equal(allowed(["ops", " * "]), null);
});

test("durations become milliseconds", () => {
  const every = (written: string | number) =>
    configOf({ agents: { defaults: { heartbeat: { every: written } } } }).agents.heartbeatEveryMs;
  assert.deepEqual([every("90s"), every("0"), every(0), every("1s")], [90_000, 0, 0, 1000]);
  assert.equal(configOf({ store: { retention: "7d" } }).store.retentionMs, 604_800_000);
});

test("an empty model list is not the same as no list", () => {
  const models = (value?: object) => configOf({ agents: { defaults: { models: value } } }).agents.models;
  assert.equal(models(), undefined);
  assert.deepEqual(models({}), {});
  assert.deepEqual(models({ "a/b": { alias: "fast" } }), { "a/b": { alias: "fast" } });
});
