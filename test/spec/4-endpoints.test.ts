// Specification, section 4: the effects of the endpoints, and the five rules.
import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import { outsideMessage, plainText } from "../../src/core/message.ts";
import { parseFences } from "../../src/untrusted/fence.ts";
import { forEachStore, program, startTestGateway, type TestGateway } from "../support/gateway.ts";

type Settings = Parameters<typeof startTestGateway>[1];

const shown = (gateway: TestGateway, eventId: unknown) =>
  gateway.waitFor("the event to be shown", async () => {
    const event = await gateway.inspect.findEvent(String(eventId));
    return event?.shownAt != null && event;
  });

async function refusal(gateway: TestGateway, fields: Record<string, unknown>) {
  const { status, json } = await gateway.post("agent", { message: "m", ...fields });
  return [status, json["code"] ?? null];
}

async function accepted(gateway: TestGateway, fields: Record<string, unknown>) {
  const { status, json, text } = await gateway.post("agent", {
    message: "m",
    wakeMode: "next-heartbeat",
    ...fields,
  });
  assert.equal(status, 202, text);
  const run = await gateway.inspect.findRun(String(json["runId"]));
  assert.ok(run);
  return run;
}

describe("endpoints", { concurrency: 4 }, () => {
  forEachStore(
    "wake enqueues a system event for the main session, stored before the response",
    async (t, store) => {
      const gateway = await startTestGateway(t, {}, { store });
      const { json } = await gateway.post("wake", { text: "The printer is on fire", mode: "next-heartbeat" });
      const [event] = await gateway.events();
      assert.ok(event);
      const { id, sessionKey, source, hook, text, shownAt } = event;
      assert.deepEqual(
        { id, sessionKey, source, hook, text, shownAt },
        {
          id: json["eventId"],
          sessionKey: "main",
          source: "wake",
          hook: "wake",
          text: outsideMessage("text", "request", "The printer is on fire"),
          shownAt: null,
        },
      );
      assert.deepEqual(await gateway.runs(), [], "a wake is no run of an agent");
    },
  );

  forEachStore(
    "wake with mode now triggers an immediate heartbeat, which shows the event",
    async (t, store) => {
      const gateway = await startTestGateway(t, {}, { store });
      const { json } = await gateway.post("wake", { text: "The printer is on fire" });
      await shown(gateway, json["eventId"]);
      const [heartbeat, ...more] = await gateway.runs("heartbeat");
      assert.deepEqual(more, []);
      assert.deepEqual([heartbeat?.status, heartbeat?.sessionKey], ["succeeded", "main"]);
      assert.deepEqual(
        parseFences(heartbeat?.reply ?? "").map(({ text }) => text),
        ["The printer is on fire"],
        "echo replies with what it was shown",
      );
    },
  );

  forEachStore("wake with mode next-heartbeat waits for the next periodic check", async (t, store) => {
    const gateway = await startTestGateway(t, {}, { store });
    const { json } = await gateway.post("wake", { text: "no hurry", mode: "next-heartbeat" });
    assert.deepEqual(await gateway.runs("heartbeat"), []);
    assert.equal((await gateway.inspect.findEvent(String(json["eventId"])))?.shownAt, null);
  });

  forEachStore("the periodic check shows the events that waited for it", async (t, store) => {
    const defaults = { heartbeat: { every: "1s" } };
    const gateway = await startTestGateway(t, { agents: { defaults } }, { store });
    const { json } = await gateway.post("wake", { text: "no hurry", mode: "next-heartbeat" });
    await shown(gateway, json["eventId"]);
    const heartbeats = await gateway.runs("heartbeat");
    assert.ok(heartbeats.some(({ reply }) => reply?.includes("no hurry")));
  });

  forEachStore("agent runs an isolated turn with its own session key", async (t, store) => {
    const telling = program(
      "main",
      `const { ROUSE_RUN_ID, ROUSE_AGENT_ID, ROUSE_SESSION_KEY, ROUSE_MODEL, ROUSE_THINKING } = process.env;
     const prompt = fs.readFileSync(0, "utf8");
     console.log(JSON.stringify([ROUSE_RUN_ID, ROUSE_AGENT_ID, ROUSE_SESSION_KEY, ROUSE_MODEL, ROUSE_THINKING, prompt.includes("Look into it")]));`,
    );
    const gateway = await startTestGateway(t, { agents: { list: [telling] } }, { store });
    const { json } = await gateway.post("agent", { message: "Look into it", model: "a/b", thinking: "high" });
    const { id, sessionKey, reply } = await gateway.ended(json["runId"]);
    assert.equal(sessionKey, `hook:${id}`);
    assert.deepEqual(JSON.parse(reply ?? ""), [id, "main", sessionKey, "a/b", "high", true]);
  });

  forEachStore("agentId: the run uses that agent's workspace and configuration", async (t, store) => {
    const telling = (id: string, own: Record<string, unknown>) => ({
      ...program(
        id,
        `console.log(JSON.stringify([process.cwd(), process.env.ROUSE_MODEL, fs.readFileSync(0, "utf8")]))`,
      ),
      ...own,
    });
    const list = [
      telling("main", { workspace: "main-folder", model: "x/main" }),
      telling("ops", { workspace: "ops-folder", model: "x/ops", instructions: "You are ops." }),
    ];
    const gateway = await startTestGateway(t, { agents: { list } }, { store });
    const replyOf = async (agentId?: string) => {
      const { json } = await gateway.post("agent", { message: "m", agentId, deliver: false });
      return JSON.parse((await gateway.ended(json["runId"])).reply ?? "") as [string, string, string];
    };
    const [folder, model, prompt] = await replyOf("ops");
    assert.match(folder, /ops-folder$/);
    assert.equal(model, "x/ops");
    assert.ok(prompt.startsWith("You are ops."));
    const [mainFolder, mainModel] = await replyOf();
    assert.match(mainFolder, /main-folder$/);
    assert.equal(mainModel, "x/main");
  });

  forEachStore(
    "agent always posts a summary into the main session; wakeMode now then triggers a heartbeat",
    async (t, store) => {
      const gateway = await startTestGateway(t, {}, { store });
      const { json } = await gateway.post("agent", { message: "Look into it", name: "Alerts" });
      const run = await gateway.ended(json["runId"]);
      const [summary, ...more] = await gateway.events();
      assert.deepEqual(more, []);
      assert.deepEqual([summary?.source, summary?.sessionKey, summary?.hook], ["summary", "main", "agent"]);
      assert.ok(summary && plainText(summary.text).startsWith("Hook Alerts: "));
      await shown(gateway, summary.id);
      const [heartbeat] = await gateway.runs("heartbeat");
      assert.ok(heartbeat?.createdAt && heartbeat.createdAt >= run.createdAt);
      assert.ok(heartbeat.reply?.includes("Hook Alerts: "));
    },
  );

  forEachStore(
    "agent with wakeMode next-heartbeat posts its summary and triggers no heartbeat",
    async (t, store) => {
      const gateway = await startTestGateway(t, {}, { store });
      const { json } = await gateway.post("agent", { message: "m", wakeMode: "next-heartbeat" });
      await gateway.ended(json["runId"]);
      assert.deepEqual(await gateway.runs("heartbeat"), []);
      assert.deepEqual(
        (await gateway.events()).map(({ source, shownAt }) => [source, shownAt]),
        [["summary", null]],
      );
    },
  );

  test("a name that no mapping can take is 404", async (t) => {
    const gateway = await startTestGateway(t);
    const { status, json } = await gateway.post("nobody", {});
    assert.deepEqual([status, json["code"]], [404, "unknown-hook"]);
  });

  test("rule 1: without an explicit session key the run uses hooks.defaultSessionKey if set", async (t) => {
    const gateway = await startTestGateway(t, {
      hooks: { defaultSessionKey: "hook:ingress", allowRequestSessionKey: true },
    });
    assert.equal((await accepted(gateway, {})).sessionKey, "hook:ingress");
    assert.equal((await accepted(gateway, { sessionKey: "hook:mine" })).sessionKey, "hook:mine");
  });

  test("rule 2: with hooks.allowRequestSessionKey false a sessionKey is not accepted", async (t) => {
    for (const hooks of [{}, { allowRequestSessionKey: false, defaultSessionKey: "hook:ingress" }]) {
      const gateway = await startTestGateway(t, { hooks });
      assert.deepEqual(await refusal(gateway, { sessionKey: "hook:ingress" }), [
        400,
        "session-key-not-allowed",
      ]);
      assert.deepEqual(await gateway.runs(), []);
    }
  });

  test("rule 3: an explicit sessionKey must start with one of the prefixes, compared exactly", async (t) => {
    const gateway = await startTestGateway(t, {
      hooks: { allowRequestSessionKey: true, allowedSessionKeyPrefixes: ["hook:", "team-a:"] },
    });
    for (const sessionKey of ["hook:x", "team-a:x", "hook:"])
      assert.equal((await accepted(gateway, { sessionKey })).sessionKey, sessionKey);
    for (const sessionKey of ["hook", "Hook:x", "x-hook:x", "team-b:x"])
      assert.deepEqual(await refusal(gateway, { sessionKey }), [400, "session-key-prefix"], sessionKey);
  });

  const withAgents = (t: TestContext, hooks: NonNullable<Settings>["hooks"]) =>
    startTestGateway(t, { ...(hooks && { hooks }), agents: { list: [{ id: "main" }, { id: "ops" }] } });

  test("rule 4: with hooks.allowedAgentIds [] explicit agentId routing is denied", async (t) => {
    const gateway = await withAgents(t, { allowedAgentIds: [] });
    for (const agentId of ["ops", "main", "nobody", "*"])
      assert.deepEqual(await refusal(gateway, { agentId }), [400, "agent-not-allowed"], agentId);
    assert.equal((await accepted(gateway, {})).agentId, "main");
  });

  test("hooks.allowedAgentIds restricts explicit agentId routing to the ids in it", async (t) => {
    const gateway = await withAgents(t, { allowedAgentIds: ["ops", "future"] });
    assert.equal((await accepted(gateway, { agentId: "OPS" })).agentId, "ops");
    const unknown = await accepted(gateway, { agentId: "future" });
    assert.deepEqual([unknown.agentId, unknown.requestedAgentId], ["main", "future"], "unknown but allowed");
    for (const agentId of ["main", "nobody"])
      assert.deepEqual(await refusal(gateway, { agentId }), [400, "agent-not-allowed"], agentId);
  });

  test("hooks.allowedAgentIds omitted, or containing *: any agent allowed", async (t) => {
    for (const hooks of [{}, { allowedAgentIds: ["*"] }, { allowedAgentIds: ["ops", "*"] }]) {
      const gateway = await withAgents(t, hooks);
      assert.equal((await accepted(gateway, { agentId: "ops" })).agentId, "ops");
      assert.equal((await accepted(gateway, { agentId: "main" })).agentId, "main");
      assert.equal((await accepted(gateway, { agentId: "nobody" })).agentId, "main");
    }
  });

  test("agents.unknown refuse: an id that no agent has is 400, and nothing is stored", async (t) => {
    const gateway = await startTestGateway(t, {
      agents: { unknown: "refuse", list: [{ id: "main" }, { id: "ops" }] },
    });
    assert.equal((await accepted(gateway, { agentId: "OPS" })).agentId, "ops");
    const before = (await gateway.runs()).length;
    assert.deepEqual(await refusal(gateway, { agentId: "opps" }), [400, "agent-unknown"]);
    assert.equal((await gateway.runs()).length, before);
  });

  const withModels = (t: TestContext, models?: Record<string, unknown>) =>
    startTestGateway(t, { agents: { defaults: { heartbeat: { every: "0" }, ...(models && { models }) } } });

  test("rule 5: a model not in a restricted list is not permitted; an alias is accepted", async (t) => {
    const gateway = await withModels(t, { "a/large": { alias: "smart" }, "a/small": {} });
    assert.equal((await accepted(gateway, { model: "a/small" })).request.model, "a/small");
    assert.equal((await accepted(gateway, { model: "a/large" })).request.model, "a/large");
    assert.equal((await accepted(gateway, { model: "smart" })).request.model, "a/large");
    assert.equal((await accepted(gateway, {})).request.model, null);
    for (const model of ["b/other", "A/SMALL", "toString", "a"])
      assert.deepEqual(await refusal(gateway, { model }), [400, "model-not-allowed"], model);
  });

  test("without agents.defaults.models any model is permitted, with {} none", async (t) => {
    const open = await withModels(t);
    assert.equal((await accepted(open, { model: "any/thing" })).request.model, "any/thing");
    const closed = await withModels(t, {});
    assert.deepEqual(await refusal(closed, { model: "any/thing" }), [400, "model-not-allowed"]);
    assert.equal((await accepted(closed, {})).request.model, null);
  });
});
