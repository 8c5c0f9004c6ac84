// Specification, section 2: the fields of the wake and agent payloads.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { outsideMessage } from "../../src/core/message.ts";
import type { RawResponse } from "../fixtures/raw-client.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";

type Payload = Record<string, unknown>;
const wrongTypes = {
  string: [1, true, null, {}, ["x"]],
  boolean: ["true", 1, null],
  number: ["5", true, null],
};

const ids = (response: RawResponse, name: "runId" | "eventId"): string => String(response.json[name]);

const start = (t: TestContext, more: { hooks?: Payload; agents?: Payload } = {}) =>
  startTestGateway(t, {
    hooks: { allowRequestSessionKey: true, ...more.hooks },
    agents: { list: [{ id: "main" }, { id: "ops" }], ...more.agents },
  });

async function storedRun(gateway: TestGateway, fields: Payload) {
  const response = await gateway.post("agent", { message: "m", wakeMode: "next-heartbeat", ...fields });
  assert.equal(response.status, 202, response.text);
  const run = await gateway.inspect.findRun(ids(response, "runId"));
  assert.ok(run);
  return run;
}

async function storedEvent(gateway: TestGateway, fields: Payload) {
  const response = await gateway.post("wake", { text: "t", ...fields });
  assert.equal(response.status, 200, response.text);
  const event = await gateway.inspect.findEvent(ids(response, "eventId"));
  assert.ok(event);
  return { ...event, mode: response.json["mode"] };
}

/** The one field that the details of a 400 name. */
async function refusedField(gateway: TestGateway, hook: string, payload: unknown): Promise<string> {
  const { status, json } = await gateway.post(hook, payload);
  assert.deepEqual(
    [status, json["ok"], json["code"]],
    [400, false, "invalid-payload"],
    JSON.stringify(payload),
  );
  const details = json["details"] as { path: string; message: string }[];
  assert.equal(details.length, 1, JSON.stringify(details));
  assert.ok(details[0]!.message.length > 0);
  return details[0]!.path;
}

test("wake payload", async (t) => {
  const gateway = await start(t);

  await t.test("text is required; blank counts as missing", async () => {
    for (const payload of [{}, { text: "" }, { text: " \n\t " }])
      assert.equal(await refusedField(gateway, "wake", payload), "text");
  });
  await t.test("text is a string", async () => {
    for (const text of wrongTypes.string) assert.equal(await refusedField(gateway, "wake", { text }), "text");
  });
  await t.test("text is trimmed and otherwise kept exactly", async () => {
    const event = await storedEvent(gateway, { text: "  two\n lines \u{1F4EE}\u0000 \n" });
    assert.deepEqual(event.text, outsideMessage("text", "request", "two\n lines \u{1F4EE}\u0000"));
  });
  await t.test("mode is now or next-heartbeat, default now", async () => {
    assert.equal((await storedEvent(gateway, {})).mode, "now");
    assert.equal((await storedEvent(gateway, { mode: "now" })).mode, "now");
    assert.equal((await storedEvent(gateway, { mode: "next-heartbeat" })).mode, "next-heartbeat");
    assert.equal((await storedEvent(gateway, { mode: "  " })).mode, "now");
  });
  await t.test("an unknown mode is 400, never a silent default", async () => {
    for (const mode of ["later", "NOW", ...wrongTypes.string])
      assert.equal(await refusedField(gateway, "wake", { text: "t", mode }), "mode");
  });
  await t.test("unknown fields are ignored", async () => {
    const { text } = await storedEvent(gateway, { text: "kept", txet: 1, message: {} });
    assert.deepEqual(text, outsideMessage("text", "request", "kept"));
  });
  await t.test("only fields of the payload itself count", async () => {
    assert.equal(await refusedField(gateway, "wake", '{"__proto__":{"text":"t"}}'), "text");
  });
  await t.test("the payload is an object", async () => {
    for (const payload of ["[]", '"text"', "null", "1"])
      assert.equal(await refusedField(gateway, "wake", payload), "");
  });
});

test("agent payload: texts and defaults", async (t) => {
  const gateway = await start(t);
  const refused = (fields: Payload) => refusedField(gateway, "agent", { message: "m", ...fields });

  await t.test("message is required; blank counts as missing", async () => {
    for (const message of [undefined, "", "  "]) assert.equal(await refused({ message }), "message");
  });

  await t.test("every string field is a string", async () => {
    const names = [
      "message",
      "name",
      "agentId",
      "sessionKey",
      "wakeMode",
      "channel",
      "to",
      "model",
      "thinking",
    ];
    for (const name of names)
      for (const value of wrongTypes.string) assert.equal(await refused({ [name]: value }), name);
  });

  await t.test("missing fields get their defaults", async () => {
    const { json } = await gateway.post("agent", { message: "m" });
    const run = await gateway.inspect.findRun(String(json["runId"]));
    assert.deepEqual(run?.request, {
      message: outsideMessage("message", "request", "m"),
      origin: "request",
      unsafe: false,
      name: null,
      wakeMode: "now",
      deliver: true,
      channel: "last",
      to: null,
      budget: null,
      fallback: null,
      deliverFailures: null,
      model: null,
      thinking: null,
      timeoutSeconds: null,
      tools: [],
      trace: null,
      credential: null,
      results: "none",
      callback: null,
    });
    assert.deepEqual([run.agentId, run.requestedAgentId], ["main", null]);
    assert.equal(run.sessionKey, `hook:${run.id}`);
  });

  await t.test("strings are trimmed, and blank ones count as missing", async () => {
    const { request, sessionKey } = await storedRun(gateway, {
      message: " hello ",
      name: " Build ",
      sessionKey: " hook:one ",
      to: " 12345 ",
      model: " any/model ",
      thinking: " low ",
      channel: " telegram ",
    });
    const { message, name, to, model, thinking, channel } = request;
    assert.deepEqual(
      { message, name, to, model, thinking, channel, sessionKey },
      {
        message: outsideMessage("message", "request", "hello"),
        name: "Build",
        to: "12345",
        model: "any/model",
        thinking: "low",
        channel: "telegram",
        sessionKey: "hook:one",
      },
    );
    const blank = await storedRun(gateway, { name: " ", agentId: "", sessionKey: " ", channel: "", to: " " });
    assert.deepEqual(
      [blank.request.name, blank.requestedAgentId, blank.sessionKey, blank.request.channel, blank.request.to],
      [null, null, `hook:${blank.id}`, "last", null],
    );
  });
});

test("agent payload: agents, channels and modes", async (t) => {
  const gateway = await start(t);
  const refused = (fields: Payload) => refusedField(gateway, "agent", { message: "m", ...fields });

  await t.test(
    "agentId routes the hook to a specific agent, compared after trim and lower-casing",
    async () => {
      assert.equal((await storedRun(gateway, { agentId: "ops" })).agentId, "ops");
      assert.equal((await storedRun(gateway, { agentId: " OPS " })).agentId, "ops");
    },
  );

  await t.test("an unknown agentId falls back to the default agent, and the run records both", async () => {
    const run = await storedRun(gateway, { agentId: "Nobody" });
    assert.deepEqual([run.agentId, run.requestedAgentId], ["main", "Nobody"]);
  });

  await t.test("wakeMode is now or next-heartbeat", async () => {
    assert.equal((await storedRun(gateway, { wakeMode: "now" })).request.wakeMode, "now");
    const waiting = await storedRun(gateway, { wakeMode: "next-heartbeat" });
    assert.equal(waiting.request.wakeMode, "next-heartbeat");
    assert.equal(await refused({ wakeMode: "never" }), "wakeMode");
  });

  await t.test("channel is last or one of eight platforms", async () => {
    const channels = ["last", "whatsapp", "telegram", "discord", "slack", "mattermost", "signal", "imessage"];
    for (const channel of [...channels, "msteams"])
      assert.equal((await storedRun(gateway, { channel })).request.channel, channel);
  });

  await t.test("an unknown channel is 400 channel-unknown", async () => {
    const { status, json } = await gateway.post("agent", { message: "m", channel: "pigeon" });
    assert.deepEqual([status, json["code"]], [400, "channel-unknown"]);
  });
});

test("agent payload: booleans, numbers and words", async (t) => {
  const gateway = await start(t);
  const refused = (fields: Payload) => refusedField(gateway, "agent", { message: "m", ...fields });

  await t.test("deliver is a boolean", async () => {
    assert.equal((await storedRun(gateway, { deliver: false })).request.deliver, false);
    assert.equal((await storedRun(gateway, { deliver: true })).request.deliver, true);
    for (const deliver of wrongTypes.boolean) assert.equal(await refused({ deliver }), "deliver");
  });

  await t.test("thinking is an open set: any word up to 32 characters", async () => {
    for (const thinking of ["low", "medium", "high", "ultra-2", "x".repeat(32)])
      assert.equal((await storedRun(gateway, { thinking })).request.thinking, thinking);
    for (const thinking of ["x".repeat(33), "two words"])
      assert.equal(await refused({ thinking }), "thinking");
  });

  await t.test("timeoutSeconds is a finite number above 0, at most 604800", async () => {
    for (const timeoutSeconds of [0.5, 1, 604_800])
      assert.equal((await storedRun(gateway, { timeoutSeconds })).request.timeoutSeconds, timeoutSeconds);
    for (const timeoutSeconds of [0, -1, 604_800.5, 604_801, ...wrongTypes.number])
      assert.equal(await refused({ timeoutSeconds }), "timeoutSeconds");
    assert.equal(
      await refusedField(gateway, "agent", '{"message":"m","timeoutSeconds":1e999}'),
      "timeoutSeconds",
    );
  });
});

test("agent payload: the payload as a whole", async (t) => {
  const gateway = await start(t);

  await t.test("unknown fields are ignored", async () => {
    const { request } = await storedRun(gateway, { messages: [], text: 5, Deliver: "no", unsafe: true });
    assert.deepEqual(request.message, outsideMessage("message", "request", "m"));
    assert.deepEqual([request.deliver, request.unsafe], [true, false]);
  });

  await t.test("every fault of a payload is reported at once", async () => {
    const { json } = await gateway.post("agent", { name: 1, wakeMode: "x", deliver: "y", timeoutSeconds: 0 });
    const paths = (json["details"] as { path: string }[]).map(({ path }) => path);
    assert.deepEqual(paths.toSorted(), ["deliver", "message", "name", "timeoutSeconds", "wakeMode"]);
  });

  await t.test("the payload is an object", async () => {
    for (const payload of ["[]", '"text"', "null", "true"])
      assert.equal(await refusedField(gateway, "agent", payload), "");
  });
});

test("nothing is stored for a payload that is refused", async (t) => {
  const gateway = await start(t);
  await gateway.post("wake", { text: 1 });
  await gateway.post("agent", { message: "m", channel: "pigeon" });
  await gateway.post("agent", { message: "m", timeoutSeconds: 0 });
  assert.deepEqual(
    [await gateway.events(), await gateway.runs(), await gateway.runs("heartbeat")],
    [[], [], []],
  );
});
