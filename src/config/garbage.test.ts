// Any file content gives a result: never a throw, and never a secret in it.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { cases } from "../../test/support/cases.ts";
import { configOf, parse, parseValue, problemsOf } from "../../test/fixtures/config.ts";
import { settingsSchema } from "./schema/index.ts";
import { knownSettings } from "./schema/lookup.ts";

const names = ["gateway", "hooks", "agents", "channels", "store", "log"].flatMap((section) => [
  section,
  ...knownSettings(settingsSchema, [section]),
]);
const key = fc.oneof(
  fc.constantFrom(...names, "file", "id", "__proto__", "constructor", "toString"),
  fc.string(),
);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "medium" },
    fc.constantFrom(true, false, null, 0, -1, 1e300, "0", "main", "*", "${HOME}", "${", "$${x}"),
    fc.string(),
    fc.double(),
    fc.array(tie("tree"), { maxLength: 4 }),
    fc.dictionary(key, tie("tree"), { maxKeys: 5 }),
  ),
}));

test("any text gives a result", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      assert.equal(typeof parse(text).ok, "boolean");
    }),
    cases(100),
  );
});

test("any pile of brackets, quotes and names gives a result", () => {
  const piece = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "//",
    "/*",
    "*/",
    "\\",
    '"hooks"',
    "1",
    "\n",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      assert.equal(typeof parse(pieces.join("")).ok, "boolean");
    }),
    cases(100),
  );
});

test("any value in any setting is loaded or reported, with a line for every problem", () => {
  const section = fc.dictionary(key, tree, { maxKeys: 6 });
  const file = fc.dictionary(
    fc.constantFrom("gateway", "hooks", "agents", "store", "log"),
    fc.oneof(section, tree),
  );
  fc.assert(
    fc.property(file, (value) => {
      const result = parseValue(value);
      if (result.ok) return;
      assert.ok(result.problems.length > 0);
      for (const problem of result.problems) assert.ok((problem.line ?? 0) > 0 && problem.message !== "");
    }),
    cases(500),
  );
});

test("nesting without end is a problem, also after a comment", () => {
  assert.deepEqual(problemsOf("[".repeat(100_000)), [": brackets are nested too deep"]);
  assert.deepEqual(problemsOf(`// it's a "quote\n${'{"a":'.repeat(100_000)}`), [
    ": brackets are nested too deep",
  ]);
  const serve = `${'{"a":'.repeat(400)}1${"}".repeat(400)}`;
  assert.deepEqual(problemsOf(`{ "hooks": { "gmail": { "account": "a@b.c", "serve": ${serve} } } }`), []);
});

test("a large file of something else gives a list of problems", () => {
  const other = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`key${at}`, at]));
  const problems = problemsOf({ hooks: other });
  assert.deepEqual([problems.length, problems.at(-1)], [101, ": and 1900 more"]);
});

test("__proto__ is no setting, and pollutes nothing", () => {
  assert.deepEqual(problemsOf('{ "__proto__": { "x": 1 }, "log": { "__proto__": { "level": "debug" } } }'), [
    "__proto__: no setting can have this name",
    "log.__proto__: no setting can have this name",
  ]);
  assert.equal(({} as Record<string, unknown>)["x"], undefined);
  assert.deepEqual(configOf({ agents: { defaults: { models: { constructor: {} } } } }).agents.models, {
    constructor: {},
  });
});

const secretValue = "S3CRET-value";
const settings = [
  '{ "gateway": { "auth": { "token": V }, "host": V, "port": V, "trustedProxies": [V] } }',
  '{ "gateway": { "auth": { "token": V } }, "hooks": { "enabled": true, "token": V } }',
  '{ "hooks": { "enabled": V, "token": [V, { "file": V }], "path": "/%V", "defaultSessionKey": V } }',
  '{ "hooks": { "allowedSessionKeyPrefixes": [V], "presets": [V], "mappings": [{ "action": V, "channel": V }] } }',
  '{ "agents": { "list": [{ "id": V, "kind": V }, { "id": V }], "defaults": { "heartbeat": { "every": V } } } }',
  '{ "agents": { "defaults": { "models": { "a": { "alias": V }, "b": { "alias": V } }, "env": [V] } } }',
  '{ "store": { "url": V, "retention": V, "leaseSeconds": V }, "log": { "level": V } }',
  '{ "store": { "url": { "file": V } }, "channels": { "a": V } }',
  '{ "hooks": { "token": V V } }',
];

test("no message shows a value, written in the file or referenced", () => {
  for (const setting of settings) {
    for (const suffix of ["", " with a space", "\u0007"]) {
      const value = secretValue + suffix;
      const written = setting.replaceAll("V", JSON.stringify(value)).replace('"/%"', '"/%');
      const referred = setting.replaceAll("V", '"${SECRET}"').replace('"/%"', '"/%');
      for (const text of [written, referred]) {
        const result = parse(text, { env: { SECRET: value } });
        assert.ok(!JSON.stringify(result.ok ? result.warnings : result).includes("S3CRET"), text);
      }
    }
  }
});
