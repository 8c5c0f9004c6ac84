import assert from "node:assert/strict";
import test from "node:test";
import { isRefusal } from "../../core/errors.ts";
import { outsideMessage } from "../../core/message.ts";
import { readAgent } from "./agent.ts";
import { readWake } from "./wake.ts";

function faultsOf(result: object): string[] {
  assert.ok(isRefusal(result), JSON.stringify(result));
  assert.equal(result.refused, "invalid-payload");
  return (result.details ?? []).map(({ path }) => path);
}

test("wake: defaults, trimming, unknown fields; its text is outside text", () => {
  const text = (written: string) => outsideMessage("text", "request", written);
  assert.deepEqual(readWake({ text: " a b ", x: 1 }), { kind: "wake", text: text("a b"), mode: "now" });
  assert.deepEqual(readWake({ text: "a", mode: " next-heartbeat " }), {
    kind: "wake",
    text: text("a"),
    mode: "next-heartbeat",
  });
  assert.deepEqual(readWake({ text: "a", mode: " " }), { kind: "wake", text: text("a"), mode: "now" });
});

test("wake: faults", () => {
  for (const payload of [null, 1, "x", [], true]) assert.deepEqual(faultsOf(readWake(payload)), [""]);
  assert.deepEqual(faultsOf(readWake({})), ["text"]);
  assert.deepEqual(faultsOf(readWake({ text: " \n" })), ["text"]);
  assert.deepEqual(faultsOf(readWake({ text: null, mode: null })), ["text", "mode"]);
  assert.deepEqual(faultsOf(readWake({ text: "a", mode: "NOW" })), ["mode"]);
  assert.deepEqual(faultsOf(readWake(JSON.parse('{"__proto__":{"text":"x"}}'))), ["text"]);
  assert.deepEqual(faultsOf(readWake(Object.create({ text: "inherited" }))), ["text"]);
});

test("agent: defaults; its message is outside text", () => {
  assert.deepEqual(readAgent({ message: " m ", name: " ", sessionKey: "", to: "\t" }), {
    kind: "agent",
    message: outsideMessage("message", "request", "m"),
    origin: "request",
    budget: null,
    unsafe: false,
    name: null,
    agentId: null,
    sessionKey: null,
    wakeMode: "now",
    deliver: true,
    channel: "last",
    to: null,
    fallback: null,
    deliverFailures: null,
    results: null,
    callback: null,
    model: null,
    thinking: null,
    timeoutSeconds: null,
    tools: null,
  });
});

test("agent: all fields, and no request can lift the boundary, ask for tools, set a fallback or silence its failure", () => {
  const payload = {
    message: "m",
    name: "n",
    agentId: " Ops ",
    sessionKey: "hook:a",
    wakeMode: "next-heartbeat",
    deliver: false,
    channel: " Telegram ",
    to: "1",
    model: "fast",
    thinking: "high",
    timeoutSeconds: 0.5,
  };
  const more = { unsafe: true, tools: ["write"], fallback: { channel: "slack" }, deliverFailures: false };
  assert.deepEqual(readAgent({ ...payload, ...more }), {
    kind: "agent",
    ...payload,
    message: outsideMessage("message", "request", "m"),
    origin: "request",
    budget: null,
    unsafe: false,
    tools: null,
    fallback: null,
    deliverFailures: null,
    results: null,
    callback: null,
    agentId: "Ops",
    channel: "telegram",
  });
});

test("agent: all faults at once", () => {
  const payload = {
    message: 1,
    name: {},
    agentId: null,
    sessionKey: "a b",
    wakeMode: "later",
    deliver: "true",
    channel: 5,
    to: 12345,
    model: [],
    thinking: "very high",
    timeoutSeconds: "30",
  };
  assert.deepEqual(faultsOf(readAgent(payload)), Object.keys(payload));
});

test("agent: limits of length and time", () => {
  for (const timeoutSeconds of [0, -1, 604_801, Infinity, Number.NaN, null, true]) {
    assert.deepEqual(faultsOf(readAgent({ message: "m", timeoutSeconds })), ["timeoutSeconds"]);
  }
  assert.ok(!isRefusal(readAgent({ message: "m", timeoutSeconds: 604_800, thinking: "x".repeat(32) })));
  const long = { name: 501, agentId: 201, sessionKey: 201, to: 501, model: 201, thinking: 33 };
  for (const [field, length] of Object.entries(long)) {
    assert.deepEqual(faultsOf(readAgent({ message: "m", [field]: "x".repeat(length) })), [field]);
  }
});
