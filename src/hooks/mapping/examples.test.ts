import assert from "node:assert/strict";
import { test } from "node:test";
import { mappingsOf } from "../../../test/fixtures/mapping-config.ts";
import { formatPath } from "../../config/problem.ts";
import { compileMappings } from "./compile.ts";
import { exampleFindings } from "./examples.ts";

type Written = { payload: unknown; headers?: Record<string, string> };

function findingsFor(mapping: object, ...examples: Written[]): string[] {
  const { mappings, faults } = compileMappings(mappingsOf([{ messageTemplate: "m", ...mapping }]));
  assert.deepEqual(faults, []);
  const requests = examples.map(({ payload, headers }) => ({
    hasHeaders: headers !== undefined,
    request: { name: "x", payload, headers: headers ?? {}, query: {}, now: "2026-01-01T00:00:00.000Z" },
  }));
  return exampleFindings(mappings[0]!, requests).map(
    ({ path, message }) => `${formatPath(path)}: ${message}`,
  );
}

const none = "none of the example payloads has";

test("a reference that no example has is found, in every template; one that some example has is not", () => {
  const mapping = {
    name: "{{ workflow.name }}",
    sessionKey: "hook:{{ id }}",
    messageTemplate:
      "{{ workflow_run.name }} {{ branch }} {{ maybe | default: 'x' }}{% if a %}{{ a }}{% endif %}",
  };
  const findings = findingsFor(mapping, { payload: { workflow: { name: "w" } } }, { payload: { branch: 1 } });
  assert.deepEqual(findings, [
    `hooks.mappings[0].messageTemplate: ${none} workflow_run.name`,
    `hooks.mappings[0].sessionKey: ${none} id`,
  ]);
  assert.deepEqual(findingsFor(mapping), [], "nothing to compare with");
});

test("headers count only where an example comes with them; a query never does", () => {
  const mapping = {
    match: { headers: { "x-event": "push" } },
    messageTemplate: "{{ headers.x-id }}{{ query.team }}",
  };
  assert.deepEqual(findingsFor(mapping, { payload: {} }), []);
  assert.deepEqual(findingsFor(mapping, { payload: {} }, { payload: {}, headers: {} }), [
    `hooks.mappings[0].match.headers: ${none} the header x-event`,
    `hooks.mappings[0].messageTemplate: ${none} headers.x-id`,
  ]);
  assert.deepEqual(findingsFor(mapping, { payload: {}, headers: { "x-event": "push", "x-id": "1" } }), []);
});

test("a filter's path that no example has; and values that no example has", () => {
  const mapping = { match: { source: "s", payload: { action: ["opened"], "issue.locked": false } } };
  const example = (more: object) => ({ payload: { source: "s", ...more } });
  assert.deepEqual(findingsFor(mapping, example({ action: "x" }), example({ action: "opened" })), [
    `hooks.mappings[0].match.payload["issue.locked"]: ${none} this field`,
  ]);
  assert.deepEqual(findingsFor(mapping, example({ action: "closed", issue: { locked: false } })), [
    'hooks.mappings[0].examples: none of them would be taken by this mapping: payload.action was "closed", wanted "opened"',
  ]);
  const taken = example({ action: "opened", issue: { locked: false } });
  assert.deepEqual(findingsFor(mapping, example({ action: "closed", issue: { locked: true } }), taken), []);
  assert.deepEqual(findingsFor({ match: { source: "t" } }, taken), [
    "hooks.mappings[0].examples: none of them would be taken by this mapping: the payload's source is not t",
  ]);
});

test("forEach: its list, and each element of it", () => {
  const mapping = { forEach: "items", messageTemplate: "{{ items[0].a }} {{ items[0].b }} {{ items[0].c }}" };
  assert.deepEqual(findingsFor(mapping, { payload: { items: {} } }, { payload: [] }), [
    `hooks.mappings[0].forEach: ${none} a list here`,
  ]);
  const payload = { items: [{ a: 1 }, { b: 2 }] };
  assert.deepEqual(findingsFor(mapping, { payload }), [
    `hooks.mappings[0].messageTemplate: ${none} items[0].c`,
  ]);
  assert.equal(payload.items.length, 2, "the payload is as before");
});

test("with a transform, templates are not compared: it may give them another payload", () => {
  const mapping = {
    transform: { module: "t.ts" },
    messageTemplate: "{{ gone }}",
    match: { payload: { a: 1 } },
  };
  assert.deepEqual(findingsFor(mapping, { payload: {} }), [
    `hooks.mappings[0].match.payload.a: ${none} this field`,
  ]);
});

test("operators: a filter that a missing field fits needs none; with [*], the field of any element", () => {
  const findings = (condition: object, payload: unknown) =>
    findingsFor({ match: { payload: condition } }, { payload });
  const labels = { labels: [{ name: "a" }] };
  for (const condition of [
    { gone: { not: "x" } },
    { gone: { exists: false } },
    { "labels[*].gone": [{ not: "x" }, "y"] },
  ])
    assert.deepEqual(findings(condition, labels), []);
  assert.deepEqual(findings({ "labels[*].name": { startsWith: "a" } }, labels), []);
  assert.deepEqual(findings({ "labels[*].gone": { startsWith: "a" } }, labels), [
    `hooks.mappings[0].match.payload["labels[*].gone"]: ${none} this field`,
  ]);
  assert.deepEqual(findings({ "labels[*].name": { not: "a" } }, labels), [
    'hooks.mappings[0].examples: none of them would be taken by this mapping: payload.labels[*].name was "a", wanted not "a"',
  ]);
});

test("the idempotency key is compared with whole examples, also with a forEach", () => {
  const mapping = { forEach: "items", idempotencyKey: "{{ id }}-{{ items[1].id }}-{{ gone }}" };
  assert.deepEqual(findingsFor(mapping, { payload: { id: 1, items: [{ id: 1 }, { id: 2 }] } }), [
    `hooks.mappings[0].idempotencyKey: ${none} gone`,
  ]);
});
