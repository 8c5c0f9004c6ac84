import assert from "node:assert/strict";
import test from "node:test";
import type { AgentAction } from "../core/action.ts";
import { isRefusal } from "../core/errors.ts";
import { isId } from "../core/id.ts";
import { outsideMessage } from "../core/message.ts";
import { channelNames } from "../core/target.ts";
import { acceptAgent, acceptAll, acceptOne, acceptWake, readIdempotency } from "./acceptance.ts";
import { testConfig } from "../../test/fixtures/hooks-server.ts";
import { type Allowed, applyPolicy } from "./policy.ts";
import { noMappings } from "./mapping/prepare.ts";
import { noSenders } from "./senders/prepare.ts";
import { hookSettings } from "./settings.ts";

const action: AgentAction = {
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
  callback: null,
  results: null,
  model: null,
  thinking: null,
  timeoutSeconds: null,
  tools: null,
};

const settingsOf = (...options: Parameters<typeof testConfig>) =>
  hookSettings(testConfig(...options), {
    mappings: noMappings,
    senders: noSenders,
    channels: channelNames([]),
  });

function refusedBy(change: Partial<AgentAction>, ...options: Parameters<typeof testConfig>): string | null {
  const result = applyPolicy({ ...action, ...change }, settingsOf(...options));
  return isRefusal(result) ? result.refused : null;
}

test("policy: session keys", () => {
  const open = { allowRequestSessionKey: true, allowedSessionKeyPrefixes: ["hook:"] };
  assert.equal(refusedBy({ sessionKey: "hook:a" }), "session-key-not-allowed");
  assert.equal(refusedBy({ sessionKey: "hook:a" }, { hooks: open }), null);
  assert.equal(refusedBy({ sessionKey: "Hook:a" }, { hooks: open }), "session-key-prefix");
  assert.equal(refusedBy({ sessionKey: "main" }, { hooks: open }), "session-key-not-allowed");
});

test("policy: agents", () => {
  assert.equal(refusedBy({ agentId: "anyone" }), null);
  assert.equal(refusedBy({ agentId: "anyone" }, { hooks: { allowedAgentIds: [] } }), "agent-not-allowed");
  assert.equal(refusedBy({ agentId: null }, { hooks: { allowedAgentIds: [] } }), null);
  assert.equal(refusedBy({ agentId: "anyone" }, { hooks: { allowedAgentIds: ["ops", "*"] } }), null);
  assert.equal(refusedBy({ agentId: "OPS" }, { hooks: { allowedAgentIds: ["ops"] } }), null);
  assert.equal(refusedBy({ agentId: "main" }, { hooks: { allowedAgentIds: ["ops"] } }), "agent-not-allowed");
});

test("policy: with agents.unknown refuse, an id that no agent has is refused, after the allow-list", () => {
  const refusing = { agents: { unknown: "refuse" } } as const;
  assert.equal(refusedBy({ agentId: "anyone" }, refusing), "agent-unknown");
  for (const agentId of ["OPS", "main", null]) assert.equal(refusedBy({ agentId }, refusing), null);
  const listed = { ...refusing, hooks: { allowedAgentIds: ["future"] } };
  assert.equal(refusedBy({ agentId: "future" }, listed), "agent-unknown");
  assert.equal(refusedBy({ agentId: "anyone" }, listed), "agent-not-allowed");
});

test("policy: models and channels", () => {
  const models = { "lab/large": { alias: "fast" } };
  assert.equal(refusedBy({ model: "any" }), null);
  assert.equal(refusedBy({ model: "any" }, { agents: { models } }), "model-not-allowed");
  assert.equal(refusedBy({ model: "any" }, { agents: { models: {} } }), "model-not-allowed");
  const result = applyPolicy({ ...action, model: "fast" }, settingsOf({ agents: { models } }));
  assert.ok(!isRefusal(result));
  assert.equal(result.action.model, "lab/large");
  for (const channel of [
    "last",
    "whatsapp",
    "telegram",
    "discord",
    "slack",
    "mattermost",
    "signal",
    "imessage",
    "msteams",
  ]) {
    assert.equal(refusedBy({ channel }), null, channel);
  }
  assert.equal(refusedBy({ channel: "fax" }), "channel-unknown");
});

function runFor(change: Partial<AgentAction>, ...options: Parameters<typeof testConfig>) {
  const settings = settingsOf(...options);
  const allowed = applyPolicy({ ...action, ...change, origin: "mapping" }, settings);
  assert.ok(!isRefusal(allowed));
  const acceptance = acceptAgent("agent", allowed, settings, null);
  assert.deepEqual(acceptance.response, { status: 202, body: { ok: true, runId: acceptance.runs[0]?.id } });
  return acceptance.runs[0]!;
}

test("an agent run without an explicit key is isolated, under a key of its own or the default one", () => {
  const own = runFor({});
  assert.ok(isId(own.id));
  assert.equal(own.sessionKey, `hook:${own.id}`);
  assert.equal(own.isolated, true);
  const shared = runFor({}, { hooks: { defaultSessionKey: "hook:ingress" } });
  assert.equal(shared.sessionKey, "hook:ingress");
  assert.equal(shared.isolated, true);
});

test("an explicit key continues a conversation", () => {
  const run = runFor(
    { sessionKey: "hook:a", agentId: "Ops" },
    { hooks: { defaultSessionKey: "hook:ingress" } },
  );
  assert.deepEqual([run.agentId, run.sessionKey, run.isolated], ["ops", "hook:a", false]);
});

test("an unknown agent runs on the default one, and the run records both", () => {
  const run = runFor({ agentId: "Nobody" });
  assert.deepEqual([run.agentId, run.requestedAgentId], ["main", "Nobody"]);
  assert.deepEqual([runFor({ agentId: "OPS" }).agentId, runFor({}).requestedAgentId], ["ops", null]);
});

test("all fields of the request are stored with the run", () => {
  const { request } = runFor({ name: "n", to: "1", timeoutSeconds: 5 });
  assert.deepEqual(request, {
    message: outsideMessage("message", "request", "m"),
    origin: "mapping",
    budget: null,
    unsafe: false,
    name: "n",
    wakeMode: "now",
    deliver: true,
    channel: "last",
    to: "1",
    fallback: null,
    deliverFailures: null,
    model: null,
    thinking: null,
    timeoutSeconds: 5,
    tools: [],
    trace: null,
    credential: null,
    results: "none",
    callback: null,
  });
});

test("what may be read of a run is what the rule makes of its mapping's word, and nothing without a rule", () => {
  const settings = settingsOf();
  const agentAction = (results: AgentAction["results"]): Allowed => ({
    action: { ...action, results },
    agentId: "main",
  });
  const { runs, response } = acceptAll(
    "h",
    [agentAction("none"), agentAction(null), agentAction("reply")],
    settings,
    null,
    (ofMapping) => ofMapping ?? "status",
  );
  assert.deepEqual(
    runs.map(({ request }) => request.results),
    ["none", "status", "reply"],
  );
  assert.equal(response.readable, true);
  const shut = acceptOne("h", agentAction("reply"), settings, null);
  assert.deepEqual([shut.runs[0]?.request.results, "readable" in shut.response], ["none", false]);
});

test("wake: an event, and a heartbeat only with mode now", () => {
  const text = outsideMessage("text", "request", "t");
  const now = acceptWake("wake", { kind: "wake", text, mode: "now" }, { defaultAgentId: "main" }, null);
  const [event] = now.events;
  assert.deepEqual(event, { id: now.id, sessionKey: "main", source: "wake", hook: "wake", text });
  assert.equal(now.heartbeat?.agentId, "main");
  const later = acceptWake(
    "wake",
    { kind: "wake", text, mode: "next-heartbeat" },
    { defaultAgentId: "main" },
    null,
  );
  assert.equal(later.heartbeat, null);
  assert.deepEqual(later.response.body, { ok: true, mode: "next-heartbeat", eventId: later.id });
});

test("idempotency keys", () => {
  const read = (...values: string[]) =>
    readIdempotency(
      values.flatMap((value) => ["Idempotency-Key", value]),
      Buffer.from("{}"),
    );
  assert.equal(read(), null);
  assert.deepEqual(read("abc"), {
    key: "abc",
    fingerprint: "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
  });
  for (const bad of [[""], ["a b"], ["a".repeat(256)], ["ä"], ["a", "a"]]) {
    const result = read(...bad);
    assert.ok(result !== null && isRefusal(result), JSON.stringify(bad));
  }
});
