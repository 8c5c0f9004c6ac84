import assert from "node:assert/strict";
import test from "node:test";
import { createExplainer, issue, lead, push } from "../../../test/fixtures/explained.ts";
import type { ExplainedAgent } from "../../hooks/explain/action.ts";

test("an action that the policy refuses is shown with its fields and the response", async (t) => {
  const mapping = { ...issue, sessionKey: "gh:{{ kind }}", model: "big" };
  const { explained, explain } = createExplainer(t, {
    mappings: [mapping],
    hooks: { allowedSessionKeyPrefixes: ["hook:"] },
  });
  const { actions, answer } = await explained("github", { kind: "issue" });
  const { policy, sessionKey, prompt, agentId, model } = actions[0] as ExplainedAgent;
  assert.deepEqual([sessionKey, prompt, agentId, model], ["gh:issue", null, null, "big"]);
  assert.ok(!policy.allowed);
  assert.equal(policy.code, "session-key-prefix");
  assert.equal(answer.status, 400);
  assert.match(
    (await explain("github", { kind: "issue" })).stdout,
    /policy: +refused, 400 session-key-prefix: The/,
  );
});

test("the refused element is shown, however late it comes", async (t) => {
  const { explain } = createExplainer(t, {
    mappings: [
      { match: { path: "each" }, forEach: "items", sessionKey: "{{ items[0] }}", messageTemplate: "x" },
    ],
  });
  const { stdout } = await explain("each", { items: ["a", "b", "c", "d", "e", "main"] });
  assert.match(stdout, /^Action 6 of 6\n[^]*refused, 400 session-key-not-allowed/m);
  assert.doesNotMatch(stdout, /^Action [45] of 6/m);
  assert.match(stdout, /^And 2 more/m);
});

test("a template that cannot be rendered shows why", async (t) => {
  const endless =
    "{% for a in payload %}{% for b in payload %}{% for c in payload %}x{% endfor %}{% endfor %}{% endfor %}";
  const { explained } = createExplainer(t, {
    mappings: [{ id: "big", match: { path: "x" }, messageTemplate: endless }],
  });
  const { outcome, reason, answer } = await explained(
    "x",
    Array.from({ length: 1000 }, () => 1),
  );
  assert.deepEqual([outcome, answer.status], ["failed", 500]);
  assert.match(reason ?? "", /^big: ./);
});

test("an unknown name lists the known ones", async (t) => {
  const { explained, explain } = createExplainer(t, { mappings: [push], presets: ["gmail"] });
  const { answer, reason, mappings } = await explained("gmial", {});
  assert.equal(answer.status, 404);
  assert.deepEqual(mappings, []);
  assert.equal(reason, "The names there are: wake, agent, github, gmail. Did you mean gmail?");
  const bySource = createExplainer(t, { mappings: [lead] });
  const other = await bySource.explained("x", { source: "shop" });
  assert.equal(other.answer.status, 404);
  assert.match(other.reason ?? "", /Any name, when the payload's source is crm\.$/);
  assert.deepEqual(other.mappings, [
    { id: "lead", takes: false, reason: "the payload's source is not crm", filters: [] },
  ]);
  assert.equal((await explain("a//b", {})).code, 1);
});

test("requests that are refused before any mapping is tried", async (t) => {
  const { explained } = createExplainer(t, { mappings: [push], hooks: { maxBodyBytes: 20 } });
  const codeFor = async (payload: unknown, ...more: string[]) => {
    const { answer, mappings } = await explained("github", payload, ...more);
    assert.deepEqual(mappings, []);
    return (answer.body as { code: string }).code;
  };
  assert.equal(await codeFor("{"), "invalid-json");
  assert.equal(await codeFor({ a: "long enough to be refused" }), "body-too-large");
  assert.equal(await codeFor({}, "--header", "content-type: text/html"), "unsupported-media-type");
  assert.equal(await codeFor({}, "--query", "Token=x"), "token-in-query");
});
