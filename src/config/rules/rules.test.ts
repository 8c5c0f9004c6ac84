import assert from "node:assert/strict";
import { test } from "node:test";
import { configOf, gatewayToken, hookToken, problemsOf, warningsOf } from "../../../test/fixtures/config.ts";

const quiet = { gateway: { auth: { token: gatewayToken } }, hooks: { enabled: true, token: hookToken } };
const withHooks = (hooks: object) => ({ ...quiet, hooks: { ...quiet.hooks, ...hooks } });
const withGateway = (gateway: object) => ({ ...quiet, gateway: { ...quiet.gateway, ...gateway } });

test("a good file has neither problems nor warnings", () => {
  assert.deepEqual(problemsOf(quiet), []);
  assert.deepEqual(warningsOf(quiet), []);
});

test("enabled hooks need a token; blank counts as missing", () => {
  const missing = ["hooks.token: is required when hooks.enabled is true: make one with rouse token new"];
  assert.deepEqual(problemsOf({ hooks: { enabled: true } }), missing);
  assert.deepEqual(problemsOf({ hooks: { enabled: true, token: "  " } }), missing);
  assert.deepEqual(problemsOf({ hooks: { enabled: true, token: [] } }), missing);
  assert.deepEqual(problemsOf({ hooks: { enabled: false } }), []);
  assert.deepEqual(problemsOf(withHooks({ token: [hookToken, " "] })), ["hooks.token[1]: must not be blank"]);
});

test("no hook token in the list is the gateway token", () => {
  const same = "must not be the same as gateway.auth.token: give hooks a token of their own";
  assert.deepEqual(problemsOf(withHooks({ token: gatewayToken })), [`hooks.token: ${same}`]);
  assert.deepEqual(problemsOf(withHooks({ token: [hookToken, gatewayToken] })), [`hooks.token[1]: ${same}`]);
});

test("tokens must be able to travel in a header", () => {
  const message = "has characters that cannot travel in a header: use visible ASCII, without spaces";
  for (const token of [
    "a token with spaces in it, long",
    "täken-that-is-long-enough-ok",
    `${hookToken}-more\n`,
  ]) {
    assert.deepEqual(problemsOf(withHooks({ token })), [`hooks.token: ${message}`]);
    assert.deepEqual(problemsOf(withGateway({ auth: { token } })), [`gateway.auth.token: ${message}`]);
  }
});

test("short tokens are warnings", () => {
  const short = "is shorter than 24 characters and could be guessed: make a longer one with rouse token new";
  assert.deepEqual(warningsOf(withHooks({ token: "x".repeat(23) })), [`hooks.token: ${short}`]);
  assert.deepEqual(warningsOf(withHooks({ token: [hookToken, "x"] })), [`hooks.token[1]: ${short}`]);
  assert.deepEqual(warningsOf(withHooks({ token: "x".repeat(24) })), []);
  assert.deepEqual(warningsOf(withGateway({ auth: { token: "x" } })), [`gateway.auth.token: ${short}`]);
});

test("the default session key has a good form, is not the main session's, and matches the prefixes", () => {
  const fault = (hooks: object) => problemsOf(withHooks(hooks))[0] ?? "";
  assert.match(fault({ defaultSessionKey: "main" }), /must not be "main"/);
  assert.match(fault({ defaultSessionKey: "a b" }), /visible characters/);
  assert.match(fault({ defaultSessionKey: "x".repeat(201) }), /at most 200/);
  assert.match(fault({ defaultSessionKey: " " }), /must not be blank/);
  const prefixes = { allowedSessionKeyPrefixes: ["hook:"] };
  assert.match(fault({ ...prefixes, defaultSessionKey: "ingress" }), /must start with one of/);
  assert.equal(fault({ ...prefixes, defaultSessionKey: " hook:ingress " }), "");
});

test("prefixes must admit generated keys, unless there is a default key", () => {
  assert.deepEqual(problemsOf(withHooks({ allowedSessionKeyPrefixes: ["ci:"] })), [
    'hooks.allowedSessionKeyPrefixes: would forbid the generated keys: add "hook:", or set hooks.defaultSessionKey',
  ]);
  for (const prefix of ["hook:", "hook", "h"]) {
    assert.deepEqual(problemsOf(withHooks({ allowedSessionKeyPrefixes: ["ci:", prefix] })), []);
  }
  assert.equal(problemsOf(withHooks({ allowedSessionKeyPrefixes: ["hook:gmail:"] })).length, 1);
  assert.deepEqual(
    problemsOf(withHooks({ allowedSessionKeyPrefixes: ["ci:"], defaultSessionKey: "ci:x" })),
    [],
  );
});

test("request session keys without prefixes are a warning", () => {
  assert.match(warningsOf(withHooks({ allowRequestSessionKey: true })).join(), /allowedSessionKeyPrefixes/);
  const restricted = { allowRequestSessionKey: true, allowedSessionKeyPrefixes: ["hook:"] };
  assert.deepEqual(warningsOf(withHooks(restricted)), []);
});

test("listening beyond loopback is a warning", () => {
  const beyond = [
    "gateway.host: is not loopback: keep a private network or a trusted reverse proxy in front",
  ];
  for (const host of ["0.0.0.0", "::", "10.0.0.1", "example.org", "127.example.org"]) {
    assert.deepEqual(warningsOf(withGateway({ host })), beyond);
  }
  for (const host of ["127.0.0.1", "127.1.2.3", "::1", "localhost"]) {
    assert.deepEqual(warningsOf(withGateway({ host })), []);
  }
});

test("no gateway token and disabled hooks are warnings", () => {
  assert.deepEqual(warningsOf({}), [
    "gateway.auth.token: is not set: the admin API and the console will not exist",
    "hooks.enabled: is false: every hook responds with 404",
  ]);
  assert.equal(configOf({ gateway: { auth: { token: " " } } }).gateway.auth.token, null);
});
