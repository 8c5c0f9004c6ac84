import assert from "node:assert/strict";
import { test } from "node:test";
import { configOf, problemsOf } from "../../../test/fixtures/config.ts";
import { isAddressRange } from "./gateway.ts";

const hooksPath = (path: string) => configOf({ hooks: { path } }).hooks.path;
const refused = (value: object) => assert.equal(problemsOf(value).length, 1, JSON.stringify(value));
const accepted = (value: object) => assert.deepEqual(problemsOf(value), []);

test("the hooks path gets a leading slash and loses trailing ones; blank is the default", () => {
  assert.equal(hooksPath(" in "), "/in");
  assert.equal(hooksPath("/in/hooks//"), "/in/hooks");
  assert.equal(hooksPath("  "), "/hooks");
  assert.equal(hooksPath("/healthzone"), "/healthzone");
  assert.equal(hooksPath("/api/v1x"), "/api/v1x");
});

test("paths that could not be matched are refused", () => {
  const bad = ["/", "//", "/a//b", "//a", "/./a", "/a/..", "/a\\b", "/a%2fb", "/a?b", "/a#b", "/a b", "/ä"];
  for (const path of [...bad, "/healthz", "/healthz/x", "readyz/", "/api/v1", "api/v1/x/"]) refused({ hooks: { path } });
});

test("trusted proxies are addresses or ranges", () => {
  for (const good of ["10.0.0.1", "10.0.0.0/8", "::1", "fd00::/8", "0.0.0.0/0"]) assert.ok(isAddressRange(good), good);
  for (const bad of ["10.0.0", "10.0.0.0/33", "::1/129", "10.0.0.0/", "10.0.0.0/8/8", "proxy", "fe80::1%en0", "/8"]) {
    assert.ok(!isAddressRange(bad), bad);
  }
});

test("numbers have bounds", () => {
  for (const port of [-1, 65_536, 1.5, "80", null]) refused({ gateway: { port } });
  for (const port of [0, 65_535]) accepted({ gateway: { port } });
  for (const leaseSeconds of [0, 0.5, 3601]) refused({ store: { leaseSeconds } });
  for (const maxConcurrent of [0, -1, 2.5]) refused({ agents: { maxConcurrent } });
  for (const timeoutSeconds of [0, -1, 604_801]) refused({ agents: { defaults: { timeoutSeconds } } });
  refused({ gateway: { drainSeconds: 2_147_484 } });
  refused({ hooks: { bodyTimeoutSeconds: 0 } });
  refused({ hooks: { maxBodyBytes: 0 } });
  assert.deepEqual(problemsOf('{ "gateway": { "port": 1e999 } }'), ["gateway.port: must be a number, not one so large"]);
});

test("durations have a form and bounds; only the heartbeat can be off", () => {
  const every = (written: unknown) => ({ agents: { defaults: { heartbeat: { every: written } } } });
  for (const written of ["500ms", "25d", "soon", "", "-1s", 30, true]) refused(every(written));
  for (const written of ["0", 0, "1s", "24d"]) accepted(every(written));
  for (const retention of ["0", 0, "1s", "99999d"]) refused({ store: { retention } });
});

test("agent ids are plain words", () => {
  for (const id of ["", "a b", "ä", "x".repeat(65), "a/b", ".."]) refused({ agents: { list: [{ id }] } });
  for (const id of ["a", "A-1_b", "x".repeat(64)]) accepted({ agents: { list: [{ id }] } });
});

test("blank entries in lists are problems, but an argument may be empty", () => {
  refused({ hooks: { allowedAgentIds: [" "] } });
  refused({ hooks: { allowedSessionKeyPrefixes: ["hook:", ""] } });
  refused({ gateway: { trustedProxies: [""] } });
  refused({ agents: { defaults: { tools: [""] } } });
  refused({ agents: { defaults: { env: [""] } } });
  refused({ agents: { defaults: { env: ["A=B"] } } });
  accepted({ agents: { list: [{ id: "a", kind: "command", command: "x", args: [""] }] } });
  refused({ agents: { list: [{ id: "a", kind: "command", command: "x", args: ["\0"] }] } });
});

test("the whole shape of a mapping is checked", () => {
  const whole = {
    id: "mail",
    match: { path: "mail", source: "s", headers: { "x-a": ["b"] }, payload: { "a.b": [1, true, null], c: "d" } },
    action: "wake",
    wakeMode: "next-heartbeat",
    name: "n",
    agentId: "a",
    sessionKey: "hook:{{ id }}",
    messageTemplate: "m",
    textTemplate: "t",
    deliver: false,
    channel: "telegram",
    to: "1",
    model: "m",
    thinking: "low",
    timeoutSeconds: 5,
    forEach: "messages",
    transform: { module: "x.ts", export: "f" },
    allowUnsafeExternalContent: true,
  };
  accepted({ hooks: { mappings: [whole] } });
  const bad = [{ action: "run" }, { channel: "fax" }, { deliver: "no" }, { match: { payload: { a: {} } } }];
  for (const part of [...bad, { timeoutSeconds: 0 }, { match: { headers: { a: 1 } } }, { other: 1 }]) {
    refused({ hooks: { mappings: [{ ...whole, ...part }] } });
  }
  refused({ hooks: { presets: ["outlook"] } });
});

test("a store address is PostgreSQL's", () => {
  for (const url of ["", "mysql://x", "postgres:/x", "postgres://a b"]) refused({ store: { url } });
  for (const url of ["postgres://u:p@h/d", "postgresql:///d?host=/run"]) accepted({ store: { url } });
});
