// Specification, section 1: what the service does, and the settings that enable it.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { loadSettings, startTestGateway, type TestGateway } from "../support/gateway.ts";

const token = "enabling-token-0123456789-abcdef";
const load = (t: TestContext, hooks: Record<string, unknown>, rest: Record<string, unknown> = {}) =>
  loadSettings(t, { hooks, ...rest });

function problemsOf(t: TestContext, hooks: Record<string, unknown>, rest: Record<string, unknown> = {}) {
  const loaded = load(t, hooks, rest);
  return loaded.ok ? [] : loaded.problems.map(({ path }) => path);
}

function hooksOf(t: TestContext, hooks: Record<string, unknown>) {
  const loaded = load(t, { enabled: true, token, ...hooks });
  assert.ok(loaded.ok, JSON.stringify(loaded));
  return loaded.config.hooks;
}

const wakeAt = (gateway: TestGateway, target: string) =>
  gateway.send({
    target,
    headers: [`Authorization: Bearer ${gateway.token}`],
    body: '{"text":"x","mode":"next-heartbeat"}',
  });

test("the endpoint is off unless enabled by configuration", async (t) => {
  const loaded = loadSettings(t, {});
  assert.ok(loaded.ok);
  assert.equal(loaded.config.hooks.enabled, false);
  const gateway = await startTestGateway(t, { hooks: { enabled: false } });
  const { status, json } = await gateway.post("wake", { text: "x" });
  assert.deepEqual([status, json["code"]], [404, "not-found"]);
  assert.deepEqual(await gateway.events(), []);
});

test("hooks.token is required when hooks.enabled is true", (t) => {
  assert.deepEqual(problemsOf(t, { enabled: true }), ["hooks.token"]);
  assert.deepEqual(problemsOf(t, { enabled: true, token: "  " }), ["hooks.token"]);
  assert.deepEqual(problemsOf(t, { enabled: true, token: [] }), ["hooks.token"]);
  assert.deepEqual(problemsOf(t, { enabled: false }), []);
});

test("hooks.path is the path prefix, default /hooks", async (t) => {
  assert.equal(hooksOf(t, {}).path, "/hooks");
  const gateway = await startTestGateway(t, { hooks: { path: "in/coming/" } });
  assert.equal((await wakeAt(gateway, "/in/coming/wake")).status, 200);
  assert.equal((await wakeAt(gateway, "/hooks/wake")).status, 404);
  assert.equal((await wakeAt(gateway, "/wake")).status, 404);
});

test("hooks.path gets a leading slash and loses trailing ones; / is a config error", (t) => {
  assert.equal(hooksOf(t, { path: "a" }).path, "/a");
  assert.equal(hooksOf(t, { path: "/a/b//" }).path, "/a/b");
  assert.deepEqual(problemsOf(t, { enabled: true, token, path: "/" }), ["hooks.path"]);
});

test("hooks.allowedAgentIds: omitted or containing * means any agent, [] none", (t) => {
  assert.equal(hooksOf(t, {}).allowedAgentIds, null);
  assert.equal(hooksOf(t, { allowedAgentIds: ["ops", "*"] }).allowedAgentIds, null);
  assert.deepEqual(hooksOf(t, { allowedAgentIds: [] }).allowedAgentIds, []);
  assert.deepEqual(hooksOf(t, { allowedAgentIds: [" Ops "] }).allowedAgentIds, ["ops"]);
});

test("hooks.allowRequestSessionKey is false by default", (t) => {
  assert.equal(hooksOf(t, {}).allowRequestSessionKey, false);
});

test("hooks.allowedSessionKeyPrefixes is optional; an empty list restricts nothing", (t) => {
  assert.deepEqual(hooksOf(t, {}).allowedSessionKeyPrefixes, []);
  assert.deepEqual(hooksOf(t, { allowedSessionKeyPrefixes: ["hook:"] }).allowedSessionKeyPrefixes, ["hook:"]);
});

test("start-up refuses a default key, or generated keys, that the prefixes would forbid", (t) => {
  const enabled = { enabled: true, token };
  const prefixed = { ...enabled, allowedSessionKeyPrefixes: ["team:"] };
  assert.deepEqual(problemsOf(t, prefixed), ["hooks.allowedSessionKeyPrefixes"]);
  assert.deepEqual(problemsOf(t, { ...prefixed, defaultSessionKey: "other" }), ["hooks.defaultSessionKey"]);
  assert.deepEqual(problemsOf(t, { ...prefixed, defaultSessionKey: "team:inbox" }), []);
  assert.deepEqual(problemsOf(t, { ...enabled, defaultSessionKey: "main" }), ["hooks.defaultSessionKey"]);
});

test("start-up warns about request keys without prefixes", (t) => {
  const warned = (hooks: Record<string, unknown>) =>
    load(t, { enabled: true, token, ...hooks }).warnings.map(({ path }) => path);
  const setting = "hooks.allowRequestSessionKey";
  assert.ok(warned({ allowRequestSessionKey: true }).includes(setting));
  assert.ok(
    !warned({ allowRequestSessionKey: true, allowedSessionKeyPrefixes: ["hook:"] }).includes(setting),
  );
});

test("hooks.presets knows the one built-in mail-provider preset, and no other", (t) => {
  assert.deepEqual(problemsOf(t, { enabled: true, token, presets: ["gmail"] }), []);
  assert.deepEqual(problemsOf(t, { enabled: true, token, presets: ["pigeon"] }), ["hooks.presets[0]"]);
});

test("hooks.mappings take match, action, templates and a transform module; unknown keys are config errors", (t) => {
  const mapping = {
    id: "ci",
    match: { path: "ci", source: "builds" },
    action: "agent",
    messageTemplate: "Build {{ payload.id }}",
    transform: { module: "ci.ts" },
    allowUnsafeExternalContent: false,
  };
  const hooks = { enabled: true, token, transformsDir: "transforms", gmail: {} };
  assert.deepEqual(problemsOf(t, { ...hooks, mappings: [mapping] }), []);
  assert.deepEqual(problemsOf(t, { ...hooks, mappings: [{ ...mapping, actoin: "wake" }] }), [
    "hooks.mappings[0].actoin",
  ]);
});

test("a setting that does not exist is a config error, and every problem is reported at once", (t) => {
  assert.deepEqual(problemsOf(t, { enabled: "yes", token, pth: "/x", maxBodyBytes: 0 }).toSorted(), [
    "hooks.enabled",
    "hooks.maxBodyBytes",
    "hooks.pth",
  ]);
});

test("the gateway listens on the loopback address by default, port 4665", (t) => {
  const loaded = loadSettings(t, {});
  assert.ok(loaded.ok);
  assert.deepEqual([loaded.config.gateway.host, loaded.config.gateway.port], ["127.0.0.1", 4665]);
});
