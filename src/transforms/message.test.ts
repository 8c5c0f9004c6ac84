import assert from "node:assert/strict";
import { test } from "node:test";
import { readMessage } from "./message.ts";

test("messages of the known kinds are read", () => {
  for (const message of [
    { kind: "loading", index: 0 },
    { kind: "unusable", fault: { index: 1, message: "m" } },
    { kind: "loaded", snapshot: null },
    { kind: "loaded", snapshot: { entries: [], modules: [] } },
    { kind: "done", sequence: 1, ms: 0.5, result: { kind: "kept" } },
    { kind: "done", sequence: 1, ms: 0.5, result: { kind: "skip" } },
    { kind: "done", sequence: 1, ms: 0.5, result: { kind: "changed", value: { name: "n" } } },
    { kind: "failed", sequence: 1, reason: "r" },
    { kind: "stray", reason: "r" },
  ])
    assert.deepEqual(readMessage(JSON.stringify(message)), message);
});

test("anything else is no message", () => {
  const deep = `${"[".repeat(600)}${"]".repeat(600)}`;
  for (const text of [
    "",
    "{",
    "null",
    "[]",
    '"done"',
    '{"kind":"other"}',
    '{"kind":"loading","index":"0"}',
    '{"kind":"unusable","fault":{"index":1}}',
    '{"kind":"loaded"}',
    '{"kind":"loaded","snapshot":{"entries":{},"modules":[]}}',
    '{"kind":"done","sequence":1}',
    '{"kind":"done","sequence":1,"result":{"kind":"kept"}}',
    '{"kind":"done","result":{"kind":"kept"}}',
    '{"kind":"done","sequence":1,"ms":1,"result":{"kind":"changed"}}',
    '{"kind":"done","sequence":1,"ms":1,"result":{"kind":"changed","value":[1]}}',
    `{"kind":"done","sequence":1,"ms":1,"result":{"kind":"changed","value":{"payload":${deep}}}}`,
    '{"kind":"failed","sequence":1,"reason":1}',
    '{"kind":"stray","reason":{}}',
  ])
    assert.equal(readMessage(text), null, text);
});
