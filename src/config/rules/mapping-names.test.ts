import assert from "node:assert/strict";
import { test } from "node:test";
import { problemsOf, warningsOf } from "../../../test/fixtures/config.ts";
import { file, good } from "../../../test/fixtures/mapping-config.ts";

type Written = Parameters<typeof good>[0];

const withAgents = (mapping: Written, agents: object) => ({ ...file([good(mapping)]), agents });
const triage = { list: [{ id: "office" }, { id: "triage" }] };

test("a mapping that names no agent of the list is a warning, with the agent that runs instead and the nearest id", () => {
  const warningsFor = (agentId: string, agents: object = triage) =>
    warningsOf(withAgents({ agentId }, agents));
  assert.deepEqual(warningsFor(" Triage "), []);
  assert.deepEqual(warningsFor("trige"), [
    "hooks.mappings[0].agentId: is the id of no agent: the default agent, office, runs instead; did you mean triage?",
  ]);
  assert.deepEqual(warningsFor("x", { list: [{ id: "a" }, { id: "boss", default: true }] }), [
    "hooks.mappings[0].agentId: is the id of no agent: the default agent, boss, runs instead; did you mean a?",
  ]);
  assert.deepEqual(warningsFor("elsewhere", {}), [
    "hooks.mappings[0].agentId: is the id of no agent: the default agent, main, runs instead",
  ]);
  assert.deepEqual(warningsFor("main", {}), []);
  assert.match(warningsFor("{{ agent }}")[0] ?? "", /is no template, and the id of no agent: the default/);
});

test("with agents.unknown refuse, it is a problem", () => {
  const problemsFor = (agentId: string) =>
    problemsOf(withAgents({ agentId }, { ...triage, unknown: "refuse" }));
  assert.deepEqual(problemsFor("trige"), [
    "hooks.mappings[0].agentId: is the id of no agent; did you mean triage?",
  ]);
  assert.deepEqual(problemsFor("TRIAGE"), []);
  assert.deepEqual(problemsOf(withAgents({ agentId: "x" }, { ...triage, unknown: "ignore" })), [
    'agents.unknown: must be "default" or "refuse", not another text',
  ]);
});

test("a platform that a mapping names and nobody has configured is a warning", () => {
  const warningsFor = (mapping: Written, channels: object = {}) =>
    warningsOf({ ...file([good(mapping)]), channels });
  const missing = (setting: string, channel: string) =>
    `hooks.mappings[0].${setting}: is not configured: nothing can be sent there. Set channels.${channel}`;
  assert.deepEqual(warningsFor({ channel: "slack" }), [missing("channel", "slack")]);
  assert.deepEqual(warningsFor({ fallback: { channel: "signal" } }), [missing("fallback.channel", "signal")]);
  assert.deepEqual(warningsFor({ channel: "slack" }, { slack: { token: "xoxb-1" } }), []);
  assert.deepEqual(warningsFor({ channel: "slack", deliver: false }), []);
  assert.deepEqual(warningsFor({ channel: "last" }), []);
  assert.deepEqual(warningsFor({ channel: "slack" }, { plugins: ["own.ts"] }), []);
});

test("a match.path that begins with hooks.path is a warning that says what to write", () => {
  const warningsFor = (path: string, hooksPath = "/hooks") =>
    warningsOf(file([good({ match: { path } })], { path: hooksPath }));
  const begins = (name: string) => [
    `hooks.mappings[0].match.path: begins with hooks.path, which is put before it: write "${name}"`,
  ];
  assert.deepEqual(warningsFor("hooks/github"), begins("github"));
  assert.deepEqual(warningsFor("/hooks/ci/main/"), begins("ci/main"));
  assert.deepEqual(warningsFor("in/hooks/github", "/in/hooks"), begins("github"));
  for (const path of ["github", "hooks", "hooksgithub", "my/hooks/x"])
    assert.deepEqual(warningsFor(path), []);
});
