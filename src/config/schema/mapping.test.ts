import assert from "node:assert/strict";
import { test } from "node:test";
import { problemsOf } from "../../../test/fixtures/config.ts";
import { file, good, faults, faultOfMatch } from "../../../test/fixtures/mapping-config.ts";

test("a mapping for a built-in name can never be reached", () => {
  for (const path of ["wake", "agent", "/wake/", " agent "])
    assert.deepEqual(faultOfMatch({ path }), [
      `hooks.mappings[0].match.path: can never be reached: "${path.trim().replaceAll("/", "")}" is built in, and built-in names win`,
    ]);
  for (const path of ["wake/up", "Wake", "agents"]) assert.deepEqual(faultOfMatch({ path }), [], path);
});

test("a name that no request can have can never be reached", () => {
  for (const path of [
    "a b",
    "a?b",
    "a#b",
    "ä",
    "a//b",
    "a/../b",
    "..",
    "./a",
    "a/%2e%2E",
    "a%2fb",
    "a%5Cb",
    'a"b',
  ])
    assert.deepEqual(
      faultOfMatch({ path }),
      ["hooks.mappings[0].match.path: can never be reached: no request path can have this name"],
      path,
    );
  for (const path of ["", "/", "  "])
    assert.deepEqual(faultOfMatch({ path }), ["hooks.mappings[0].match.path: must name a hook"]);
  for (const path of ["a/b", "a.b", "a..b", "%C3%A4", "a:b@c,d;e=f", "...", "~x"])
    assert.deepEqual(faultOfMatch({ path }), [], path);
});

test("a field path is names with dots and numbers in brackets", () => {
  const message = "must be a path such as messages[0].from: names with dots, numbers in brackets";
  const filterMessage =
    "must be a path such as messages[0].from or labels[*].name: names with dots, numbers or * in brackets";
  for (const written of [".a", "a.", "a..b", "a[b]", "a[0", "a b", "a[-1]", "a[0]b"]) {
    assert.deepEqual(
      faults(good({ forEach: written })),
      [`hooks.mappings[0].forEach: ${message}`],
      written,
    );
    assert.deepEqual(
      faultOfMatch({ payload: { [written]: 1 } }),
      [`hooks.mappings[0].match.payload[${JSON.stringify(written)}]: ${filterMessage}`],
      written,
    );
  }
  for (const written of ["a", "a.b", "a[0][1].c", "[0].a", "a-b.ä"])
    assert.deepEqual(faultOfMatch({ payload: { [written]: 1 } }), [], written);
});

test("headers that carry secrets cannot be matched, in any case", () => {
  const message = "is a header that carries secrets and cannot be matched";
  for (const name of ["Authorization", "X-Gateway-Token", "cookie", "proxy-authorization"])
    assert.deepEqual(faultOfMatch({ headers: { [name]: "x" } }), [
      `hooks.mappings[0].match.headers${name === "cookie" ? ".cookie" : `.${name}`}: ${message}`,
    ]);
  assert.deepEqual(faultOfMatch({ headers: { "a b": "x" } }), [
    'hooks.mappings[0].match.headers["a b"]: must be the name of a header',
  ]);
});

test("one header or field is filtered once, in any spelling", () => {
  const twice = "filters the same thing as another one: give one of them a list of values";
  const headers = { "X-Event": "a", other: "b", "x-event": "c" };
  assert.deepEqual(faultOfMatch({ headers }), [`hooks.mappings[0].match.headers.x-event: ${twice}`]);
  assert.deepEqual(faultOfMatch({ payload: { "a[0]": 1, a: 2, "a[00]": 3 } }), [
    `hooks.mappings[0].match.payload["a[00]"]: ${twice}`,
  ]);
});

test("a filter has at least one plain value", () => {
  for (const match of [
    { headers: { a: [] } },
    { headers: { a: 1 } },
    { payload: { a: [] } },
    { payload: { a: {} } },
    { payload: { a: [[1]] } },
  ])
    assert.equal(faultOfMatch(match).length, 1, JSON.stringify(match));
});

test("unknown settings, actions and channels are problems", () => {
  assert.deepEqual(faults(good({ mesageTemplate: "x" })), [
    "hooks.mappings[0].mesageTemplate: unknown setting `mesageTemplate`; did you mean `messageTemplate`?",
  ]);
  const wrong = { action: "run", wakeMode: "later", channel: "pigeon", deliver: "yes", timeoutSeconds: 0 };
  for (const [setting, value] of Object.entries(wrong)) {
    const found = faults({ messageTemplate: "m", [setting]: value });
    assert.equal(found.length, 1, setting);
    assert.ok(found[0]?.startsWith(`hooks.mappings[0].${setting}: `), found[0]);
  }
  assert.deepEqual(problemsOf(file([], { presets: ["slack"] })).length, 1);
});

test("in a filter, [*] stands for any element", () => {
  for (const written of ["a[*]", "a[*].b", "[*]", "[*].b", "a[*][*].b[0].c", "a[0][*]"])
    assert.deepEqual(faultOfMatch({ payload: { [written]: 1 } }), [], written);
  for (const written of ["a[*]b", "a[*]..b", "a[*].", ".[*]", "a.[*]", "a[*].[*]", "[*", "*", "a[*].[0]"])
    assert.equal(faultOfMatch({ payload: { [written]: 1 } }).length, written === "*" ? 0 : 1, written);
  assert.equal(faults(good({ forEach: "a[*]" })).length, 1);
});

test("operators of filters: each fault with its path", () => {
  const setting = "hooks.mappings[0].match.payload.a";
  const faultsOf = (condition: unknown) => faultOfMatch({ payload: { a: condition } });
  const noOperator =
    "must have an operator: not, exists, contains, startsWith, endsWith, matches, above or below";
  assert.deepEqual(faultsOf({}), [`${setting}: ${noOperator}`]);
  assert.deepEqual(faultsOf({ not: {} }), [`${setting}.not: ${noOperator}`]);
  assert.deepEqual(faultsOf({ nott: 1 }), [`${setting}.nott: unknown setting \`nott\`; did you mean \`not\`?`]);
  assert.deepEqual(faultsOf({ not: { not: 1 } }), [`${setting}.not.not: unknown setting \`not\``]);
  assert.deepEqual(faultsOf({ above: "x" }), [`${setting}.above: must be a number`]);
  assert.deepEqual(faultsOf(["b", { exists: "yes" }]), [`${setting}[1].exists: must be true or false, not text`]);
  for (const wrong of [
    { above: 2 ** 60 },
    { matches: "" },
    { matches: "x".repeat(1001) },
    { startsWith: 1 },
    { endsWith: "" },
    { contains: ["a"] },
    { not: [] },
    { not: { above: null } },
  ])
    assert.equal(faultsOf(wrong).length, 1, JSON.stringify(wrong));
  assert.deepEqual(faultsOf([null, { not: ["b", { matches: "c" }], above: "12345678901234567891" }]), []);
  assert.deepEqual(faultOfMatch({ headers: { a: [{ startsWith: "x", not: "xy" }, "z"] } }), []);
  assert.equal(faultOfMatch({ headers: { a: { not: 1 } } }).length, 1);
});
