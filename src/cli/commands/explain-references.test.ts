import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { createExplainer, twoAgents } from "../../../test/fixtures/explained.ts";
import type { ExplainedAgent } from "../../hooks/explain/action.ts";

test("references that were missing are listed once, with the elements that lack them", async (t) => {
  const run = {
    id: "run",
    match: { path: "ci" },
    name: "{{ workflow_run.name }}",
    messageTemplate:
      "{{ workflow_run.name }} {{ gone | default: 'x' }}{% if a %}{{ a.b }}{% endif %} is {{ state }}.",
  };
  const each = {
    match: { path: "each" },
    forEach: "items",
    messageTemplate: "{{ items[0].a }} {{ items[0].b }} {{ c }}.",
  };
  const { explained, explain } = createExplainer(t, { mappings: [run, each] });
  const one = await explained("ci", { a: {}, state: "new" });
  assert.deepEqual(one.empty, [
    { reference: "workflow_run.name", count: 1, elements: [] },
    { reference: "a.b", count: 1, elements: [] },
  ]);
  assert.match(
    (await explain("ci", {})).stdout,
    /^Missing in the request\n[^]*^ {2}empty: workflow_run\.name$/m,
  );
  assert.deepEqual((await explained("ci", { workflow_run: { name: "" }, state: 1 })).empty, []);

  const items = Array.from({ length: 30 }, (_, at) => (at === 0 ? { a: 1, b: 2 } : { a: 1 }));
  const many = await explained("each", { items, c: 3 });
  assert.deepEqual(many.empty, [
    {
      reference: "items[0].b",
      count: 29,
      elements: Array.from({ length: 10 }, (_, at) => `items[${at + 1}]`),
    },
  ]);
  assert.match(
    (await explain("each", { items, c: 3 })).stdout,
    /^ {2}empty: items\[0\]\.b \(29 of the elements: items\[1\], items\[2\], items\[3\] and others\)$/m,
  );
});

test("a request that is refused because its text came out blank lists what was missing, too", async (t) => {
  const { explained, explain } = createExplainer(t, {
    mappings: [{ match: { path: "ci" }, messageTemplate: "{{ workflow_run.name }}" }],
  });
  const { answer, empty } = await explained("ci", {});
  assert.equal(answer.status, 400);
  assert.deepEqual(empty, [{ reference: "workflow_run.name", count: 1, elements: [] }]);
  assert.match((await explain("ci", {})).stdout, /^ {2}empty: workflow_run\.name$/m);
});

test("a transform that makes the payload: what its templates lack is listed, and it never sees the list", async (t) => {
  const mapping = { match: { path: "t" }, messageTemplate: "{{ a }}{{ b }}", transform: { module: "t.ts" } };
  const { explained, folder } = createExplainer(t, { mappings: [mapping] });
  mkdirSync(join(folder, "transforms"));
  const source = `export default (input: object, action: object) => ({ payload: { a: Object.keys(action).join() } });`;
  writeFileSync(join(folder, "transforms", "t.ts"), source);
  const { empty, actions } = await explained("t", {});
  assert.deepEqual(empty, [{ reference: "b", count: 1, elements: [] }]);
  assert.doesNotMatch((actions[0] as ExplainedAgent).message, /empty/);
});

test("warnings about the mapping that takes the request are shown, and no others", async (t) => {
  const { explained, explain } = createExplainer(t, {
    mappings: [
      { match: { path: "a" }, messageTemplate: "m", agentId: "opps" },
      { match: { path: "b" }, messageTemplate: "m", channel: "slack" },
    ],
    agents: twoAgents,
  });
  const { warnings } = (await explained("a", {})) as { warnings?: { path: string }[] };
  assert.deepEqual(
    warnings?.map(({ path }) => path),
    ["hooks.mappings[0].agentId"],
  );
  const { stdout } = await explain("a", {});
  assert.match(
    stdout,
    /^ {2}warning: hooks\.mappings\[0\]\.agentId: is the id of no agent: .*main, runs.*mean ops\?/m,
  );
  assert.doesNotMatch(stdout, /slack/);
  assert.match((await explain("b", {})).stdout, /warning: hooks\.mappings\[1\]\.channel/);
  assert.doesNotMatch((await explain("agent", { message: "m" })).stdout, /warning/);
});

test("with agents.unknown refuse, an unknown agent is refused, with the nearest id", async (t) => {
  const { explained } = createExplainer(t, { agents: { ...twoAgents, unknown: "refuse" } });
  const { answer, reason } = await explained("agent", { message: "m", agentId: "opps" });
  assert.equal(answer.status, 400);
  assert.equal((answer.body as { code: string }).code, "agent-unknown");
  assert.equal(reason, "There is no agent opps. Did you mean ops?");
});
