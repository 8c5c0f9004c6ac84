import assert from "node:assert/strict";
import { test } from "node:test";
import { warningsOf } from "../../../test/fixtures/config.ts";
import { file, good, mappingsOf } from "../../../test/fixtures/mapping-config.ts";

test("missing settings get their defaults", () => {
  assert.deepEqual(mappingsOf([{}]), [
    {
      id: "mapping-1",
      origin: 0,
      match: { path: null, source: null, events: null, headers: [], payload: [] },
      action: "agent",
      wakeMode: "now",
      deliver: true,
      agentId: null,
      channel: null,
      fallback: null,
      deliverFailures: null,
      callback: null,
      results: null,
      timeoutSeconds: null,
      templates: {
        messageTemplate: null,
        textTemplate: null,
        name: null,
        sessionKey: null,
        to: null,
        model: null,
        thinking: null,
        idempotencyKey: null,
      },
      forEach: null,
      transform: null,
      tools: null,
      examples: [],
      allowUnsafeExternalContent: false,
    },
  ]);
});

test("written settings are kept", () => {
  const [mapping] = mappingsOf([
    {
      id: "push",
      match: {
        path: " /github/push/ ",
        source: "github",
        headers: { "X-GitHub-Event": "push", "x-other": ["a", "b"] },
        payload: {
          "commits[0].author.name": ["x", 1, true, null],
          draft: false,
          "labels[*].name": { not: "wip", startsWith: "area/" },
        },
      },
      action: "wake",
      wakeMode: "next-heartbeat",
      name: "N {{ x }}",
      agentId: "Ops",
      sessionKey: "hook:{{ id }}",
      messageTemplate: " m ",
      textTemplate: "t",
      deliver: false,
      channel: "slack",
      to: "{{ to }}",
      fallback: { channel: "Signal" },
      deliverFailures: false,
      model: "a/b",
      thinking: "low",
      timeoutSeconds: 0.5,
      idempotencyKey: " {{ id }} ",
      forEach: "payload.items[0].parts",
      transform: { module: "a.ts", export: "main" },
      tools: ["read"],
      examples: ["a.json", { payload: "b/b.json", headers: "/tmp/b.txt" }],
      allowUnsafeExternalContent: true,
    },
  ]);
  assert.deepEqual(mapping, {
    id: "push",
    origin: 0,
    match: {
      path: "github/push",
      source: "github",
      events: null,
      headers: [
        { name: "x-github-event", wanted: ["push"] },
        { name: "x-other", wanted: ["a", "b"] },
      ],
      payload: [
        {
          written: "commits[0].author.name",
          path: [["commits", 0, "author", "name"]],
          wanted: ["x", 1, true, null],
        },
        { written: "draft", path: [["draft"]], wanted: [false] },
        {
          written: "labels[*].name",
          path: [["labels"], ["name"]],
          wanted: [{ startsWith: "area/", not: ["wip"] }],
        },
      ],
    },
    action: "wake",
    wakeMode: "next-heartbeat",
    deliver: false,
    agentId: "Ops",
    channel: "slack",
    fallback: { channel: "signal", to: null },
    deliverFailures: false,
    results: null,
    callback: null,
    timeoutSeconds: 0.5,
    templates: {
      messageTemplate: "m",
      textTemplate: "t",
      name: "N {{ x }}",
      sessionKey: "hook:{{ id }}",
      to: "{{ to }}",
      model: "a/b",
      thinking: "low",
      idempotencyKey: "{{ id }}",
    },
    forEach: { written: "payload.items[0].parts", path: ["items", 0, "parts"] },
    transform: { module: "a.ts", export: "main" },
    tools: ["read"],
    examples: [
      { payload: "/home/rouse/a.json", headers: null },
      { payload: "/home/rouse/b/b.json", headers: "/tmp/b.txt" },
    ],
    allowUnsafeExternalContent: true,
  });
});

test("forEach: the first word payload is the whole payload", () => {
  const pathOf = (forEach: string) => mappingsOf([good({ forEach })])[0]?.forEach?.path;
  assert.deepEqual(pathOf("payload"), []);
  assert.deepEqual(pathOf("payload.payload"), ["payload"]);
  assert.deepEqual(pathOf("items.payload"), ["items", "payload"]);
});

test("presets come after the mappings, each once, complete like any mapping", () => {
  const all = mappingsOf([good({ match: { path: "a" } })], { presets: ["gmail", "gmail"] });
  assert.deepEqual(
    all.map(({ id, origin }) => [id, origin]),
    [
      ["mapping-1", 0],
      ["gmail", "gmail"],
    ],
  );
  const gmail = all[1]!;
  assert.deepEqual(
    [gmail.match.path, gmail.forEach?.path, gmail.templates.sessionKey, gmail.allowUnsafeExternalContent],
    ["gmail", ["messages"], "hook:gmail:{{ messages[0].id }}", false],
  );
  for (const field of ["from", "subject", "snippet", "body"])
    assert.ok(gmail.templates.messageTemplate?.includes(`{{ messages[0].${field} }}`), field);
  assert.deepEqual(warningsOf(file([], { presets: ["gmail"] })), []);
});

test("mappings are frozen with the rest of the configuration", () => {
  const [mapping] = mappingsOf([good({ match: { payload: { a: 1 } } })]);
  for (const part of [mapping, mapping?.match.payload[0]?.path, mapping?.templates])
    assert.ok(Object.isFrozen(part));
});
