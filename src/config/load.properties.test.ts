// Any JSON in any setting of a whole config gives a result, with a line for every problem; every unknown name is a
// problem.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { cases } from "../../test/support/cases.ts";
import { configOf, gatewayToken, hookToken, parseValue } from "../../test/fixtures/config.ts";

const whole = {
  gateway: {
    host: "127.0.0.1",
    port: 1,
    auth: { token: gatewayToken },
    trustedProxies: ["10.0.0.0/8"],
    drainSeconds: 1,
  },
  hooks: {
    enabled: true,
    token: hookToken,
    path: "/hooks",
    allowedAgentIds: ["main"],
    defaultSessionKey: "hook:x",
    allowedSessionKeyPrefixes: ["hook:"],
    presets: ["gmail"],
    mappings: [
      {
        id: "one",
        match: { path: "one", source: "s", headers: { "x-a": ["1"] }, payload: { "a[0]": 1 } },
        action: "agent",
        name: "{{ a }}",
        sessionKey: "hook:{{ a }}",
        messageTemplate: "{{ a }}",
        channel: "telegram",
        to: "1",
        fallback: { channel: "slack", to: "C0123456789" },
        forEach: "list",
        timeoutSeconds: 5,
        transform: { module: "a.mjs", export: "b" },
      },
    ],
    budget: { runsPerDay: 1, moneyPerDay: 0.5 },
    authFailures: { max: 3, windowSeconds: 1 },
  },
  agents: {
    list: [
      { id: "main", kind: "echo", default: true },
      { id: "two", kind: "command", command: "x", args: ["y"], env: ["HOME"] },
    ],
    defaults: { heartbeat: { every: "30m" }, models: { "a/b": { alias: "c" } } },
    maxConcurrent: 2,
  },
  channels: { telegram: { token: "t", to: "1" }, slack: { token: "t" }, plugins: ["./a.mjs"] },
  store: { retention: "30d", leaseSeconds: 15 },
  log: { level: "info" },
};

type Path = readonly (string | number)[];

function pathsIn(value: unknown, at: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [at];
  return [
    at,
    ...Object.entries(value).flatMap(([name, inner]) =>
      pathsIn(inner, [...at, Array.isArray(value) ? Number(name) : name]),
    ),
  ];
}

function put(value: unknown, [first, ...rest]: Path, instead: unknown): unknown {
  if (first === undefined) return instead;
  const copy = structuredClone(value) as Record<string | number, unknown>;
  copy[first] = put(copy[first], rest, instead);
  return copy;
}

const paths = pathsIn(whole);
const odd = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    "",
    " ",
    "*",
    "${NOPE}",
    "${",
    0,
    -1,
    1e300,
    [],
    {},
    [[]],
    { file: "x" },
    "{{",
    "{% if %}",
    "main",
  ),
  fc
    .constantFrom(...paths)
    .map((path) =>
      path.reduce<unknown>((value, part) => (value as Record<string | number, unknown>)[part], whole),
    ),
);

test("the config itself is good", () => assert.equal(configOf(whole).hooks.mappings.length, 2));

test("any value in any setting is loaded or reported, with a line for every problem", () => {
  fc.assert(
    fc.property(fc.constantFrom(...paths), odd, (path, value) => {
      const result = parseValue(put(whole, path, value));
      const found = result.ok ? result.warnings : result.problems;
      assert.ok(result.ok || found.length > 0);
      for (const { line, message } of found) assert.ok((line ?? 0) > 0 && message !== "");
    }),
    cases(250),
  );
});

/** Sections whose names the user chooses. */
const isOpen = (path: Path): boolean => ["headers", "payload", "models"].includes(String(path.at(-1)));

test("an unknown name is a problem in every section", () => {
  const sections = paths.filter((path) => {
    const value = path.reduce<unknown>(
      (inner, part) => (inner as Record<string | number, unknown>)[part],
      whole,
    );
    return typeof value === "object" && !Array.isArray(value) && !isOpen(path);
  });
  const name = fc.string({ minLength: 1, unit: "grapheme" }).map((text) => `${text}~`);
  fc.assert(
    fc.property(fc.constantFrom(...sections), name, fc.jsonValue(), (path, name, value) => {
      const result = parseValue(put(whole, [...path, name], value));
      assert.ok(!result.ok && result.problems.length > 0, `${path.join(".")} ${name}`);
    }),
    cases(100),
  );
});
