import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createFakeAgent } from "../../test/fakes/agent.ts";
import { eventually } from "../../test/fakes/clock.ts";
import { leaseMs, setUpRunner } from "../../test/fakes/runner.ts";
import { makeFolder } from "../../test/support/folder.ts";
import { createAgents } from "../agents/registry.ts";
import type { Agent } from "../agents/agent.ts";
import type { AgentConfig } from "../config/config.ts";
import { plainText } from "../core/message.ts";
import type { AgentOutcome } from "../core/outcome.ts";
import { agentSettings } from "../../test/builders/agent.ts";

const command: AgentConfig = {
  ...agentSettings,
  tools: ["read", "write", "mcp:github"],
  model: "p/m",
  kind: "model",
  maxSteps: 5,
  fetchHosts: [],
};

const agentsOf = (agent: Agent, config: AgentConfig = command) => ({
  agents: () => createAgents([config], () => agent),
});

test("a conversation carries its earlier turns; an isolated run has none", async (t) => {
  const { runnerWith, enqueue } = await setUpRunner(t);
  const agent = createFakeAgent((input) => ({
    kind: "replied",
    reply: `reply ${input.sessionKey}`,
    report: { foreignSession: "theirs" },
  }));
  const runner = runnerWith(agent);
  for (const key of ["talk", "talk", null, null]) {
    await enqueue({}, key);
    await runner.tick();
  }
  const [first, second, third, fourth] = agent.inputs;
  assert.deepEqual(first?.conversation, { history: [], foreignSession: null });
  assert.deepEqual(
    second?.conversation?.history.map(({ role }) => role),
    ["user", "assistant"],
  );
  assert.equal(second?.conversation?.history[1]?.text, "reply talk");
  assert.equal(second?.conversation?.foreignSession, "theirs");
  assert.deepEqual([third?.conversation, fourth?.conversation], [null, null]);
});

test("heartbeats continue the main session, without those that only acknowledged", async (t) => {
  const { runnerWith, wake, accept } = await setUpRunner(t);
  const replies = ["Noted.", "HEARTBEAT_OK", "HEARTBEAT_OK"];
  const agent = createFakeAgent(() => ({ kind: "replied", reply: replies.shift()! }));
  const runner = runnerWith(agent);
  await wake("first");
  await runner.tick();
  await accept({ heartbeat: { agentId: "main", delayMs: 0 } });
  await runner.tick();
  await accept({ heartbeat: { agentId: "main", delayMs: 0 } });
  await runner.tick();
  assert.deepEqual(
    agent.inputs.map(({ conversation }) => conversation?.history.length),
    [0, 2, 2],
  );
});

test("turns that no longer fit the window are summarised by the agent, once", async (t) => {
  const { runnerWith, enqueue, policy, store } = await setUpRunner(t);
  const summarised: string[] = [];
  const agent = Object.assign(
    createFakeAgent(() => ({ kind: "replied", reply: "x".repeat(900) })),
    {
      summarise: async (text: string): Promise<AgentOutcome> => {
        summarised.push(text);
        const usage = { inputTokens: 5, outputTokens: 1 };
        return { kind: "replied", reply: "in short", report: { usage } };
      },
    },
  );
  const runner = runnerWith(agent, {
    ...agentsOf(agent),
    policy: () => ({ ...policy, contextTokens: { "p/m": 2000 } }),
  });
  for (let turn = 0; turn < 4; turn++) {
    await enqueue({}, "long");
    await runner.tick();
  }
  const last = agent.inputs.at(-1)?.conversation?.history;
  assert.equal(last?.[0]?.role, "summary");
  assert.equal(last?.[0]?.text, "in short");
  assert.ok(summarised.length >= 1 && summarised[0]!.includes("You said:\nxxx"));
  const all = await store.listTurns({ agentId: "main", sessionKey: "long" });
  assert.equal(all.filter(({ role }) => role !== "summary").length, 8, "the record keeps all of it");
  const [spent] = await store.listSpending();
  assert.equal(spent?.inputTokens, 5 * summarised.length, "the summary counts as well");
});

test("an agent that cannot summarise gets a note that turns are left out", async (t) => {
  const { runnerWith, enqueue, policy } = await setUpRunner(t);
  const agent = createFakeAgent(() => ({ kind: "replied", reply: "x".repeat(3000) }));
  const runner = runnerWith(agent, {
    policy: () => ({ ...policy, contextTokens: { "default-model": 1000 } }),
  });
  for (let turn = 0; turn < 2; turn++) {
    await enqueue({}, "long");
    await runner.tick();
  }
  const history = agent.inputs[1]?.conversation?.history;
  assert.deepEqual([history?.length, history?.[0]?.role], [1, "summary"]);
  assert.match(history?.[0]?.text ?? "", /left out/);
});

test("a hook's run may read, and use what it was granted; the main session may use all", async (t) => {
  const { runnerWith, enqueue, wake, find } = await setUpRunner(t);
  const agent = createFakeAgent(() => ({ kind: "replied", reply: "ok", report: { toolsUsed: ["read"] } }));
  const runner = runnerWith(agent, agentsOf(agent));
  const id = await enqueue({ tools: [] });
  await runner.tick();
  await enqueue({ tools: ["write", "fetch"] });
  await runner.tick();
  await enqueue({ tools: "agent" });
  await runner.tick();
  await wake("look");
  await runner.tick();
  assert.deepEqual(
    agent.inputs.map(({ tools }) => tools),
    [["read"], ["read", "write"], command.tools, command.tools],
  );
  const { report } = await find(id);
  assert.deepEqual([report?.toolsGranted, report?.toolsUsed], [["read"], ["read"]]);
});

test("tokens, cost and warnings of all attempts are stored with the run", async (t) => {
  const { runnerWith, enqueue, find, clock, policy, store } = await setUpRunner(t);
  const usage = { inputTokens: 1000, outputTokens: 500 };
  const outcomes: AgentOutcome[] = [
    { kind: "failed", reason: "busy", mayPass: true, report: { usage } },
    { kind: "replied", reply: "ok", report: { usage, warnings: ["thinking high became medium"] } },
  ];
  const agent = createFakeAgent(() => outcomes.shift()!);
  const prices = { "p/m": { input: 1000, output: 2000 } };
  const runner = runnerWith(agent, { ...agentsOf(agent), policy: () => ({ ...policy, prices }) });
  const id = await enqueue();
  await runner.tick();
  await clock.advance(60_000);
  await runner.tick();
  const { report, status } = await find(id);
  assert.deepEqual(report, {
    inputTokens: 2000,
    outputTokens: 1000,
    cost: 4,
    warnings: ["thinking high became medium"],
    toolsGranted: ["read"],
    toolsUsed: [],
  });
  assert.equal(status, "succeeded");
  const [spent] = await store.listSpending();
  assert.deepEqual([spent?.runs, spent?.inputTokens, spent?.cost], [1, 2000, 4]);
});

test("a run over its budget is parked; echo has no budget", async (t) => {
  const { runnerWith, enqueue, find, store, policy } = await setUpRunner(t);
  const agent = createFakeAgent();
  const none = { policy: () => ({ ...policy, budget: { ...policy.budget, runsPerDay: 0 } }) };
  const id = await enqueue();
  const runner = runnerWith(agent, { ...agentsOf(agent), ...none });
  await runner.tick();
  assert.deepEqual([(await find(id)).status, agent.inputs.length], ["parked", 0]);
  const events = await store.waitingEvents("main", 10);
  assert.match(plainText(events[0]!.text), /over its 0 runs a day/);
  await store.releaseRuns({ id: null, hook: null });
  await runner.tick();
  assert.equal((await find(id)).status, "succeeded");
  const echoed = await enqueue();
  await runnerWith(agent, none).tick();
  assert.equal((await find(echoed)).status, "succeeded");
});

test("after a tool that changes something a run is not retried", async (t) => {
  const { runnerWith, enqueue, find } = await setUpRunner(t);
  const agent = createFakeAgent(async ({ onActing }) => {
    assert.equal(await onActing(), true);
    return { kind: "failed", reason: "cut", mayPass: true };
  });
  const id = await enqueue();
  await runnerWith(agent, agentsOf(agent)).tick();
  const { status, error } = await find(id);
  assert.equal(status, "failed");
  assert.match(error ?? "", /^cut \(not tried again/);
});

test("after such a tool and a crash a run is not retried", async (t) => {
  const { runnerWith, enqueue, find, store, clock } = await setUpRunner(t);
  const id = await enqueue();
  const { claimed } = await store.claimRuns({ kind: "hook", limit: 1, lease: "crashed", leaseMs });
  await store.markActed(claimed[0]!);
  await clock.advance(leaseMs);
  const agent = createFakeAgent();
  await runnerWith(agent, agentsOf(agent)).tick();
  assert.equal(agent.inputs.length, 0);
  assert.match((await find(id)).error ?? "", /not tried again/);
});

test("instructions may be a file in the workspace, read at each attempt, and nowhere else", async (t) => {
  const { runnerWith, enqueue, find } = await setUpRunner(t);
  const workspace = makeFolder("workspace");
  t.after(() => rmSync(workspace, { recursive: true, force: true }));
  const file = join(workspace, "AGENTS.md");
  const config = { ...command, workspace, instructionsFile: file };
  const agent = createFakeAgent();
  const runner = runnerWith(agent, agentsOf(agent, config));
  const missing = await enqueue();
  await runner.tick();
  assert.match((await find(missing)).error ?? "", /instructions file cannot be read \(ENOENT\)/);
  writeFileSync(file, "Be brief.");
  await enqueue();
  await runner.tick();
  assert.ok(agent.inputs[0]?.prompt.startsWith("Be brief.\n"));
  rmSync(file);
  const outside = makeFolder("outside");
  mkdirSync(outside, { recursive: true });
  t.after(() => rmSync(outside, { recursive: true, force: true }));
  writeFileSync(join(outside, "x"), "secret");
  symlinkSync(join(outside, "x"), file);
  const linked = await enqueue();
  await runner.tick();
  assert.match((await find(linked)).error ?? "", /outside of the agent's workspace/);
});

test("tokens used before a timeout count", async (t) => {
  const { runnerWith, enqueue, find, clock, reaches } = await setUpRunner(t);
  const agent = createFakeAgent(
    (_turn, signal) =>
      new Promise<AgentOutcome>((resolve) => {
        const usage = { inputTokens: 7, outputTokens: 0 };
        const stop = () => resolve({ kind: "failed", reason: "stopped", mayPass: true, report: { usage } });
        signal.addEventListener("abort", stop, { once: true });
      }),
  );
  const id = await enqueue({ timeoutSeconds: 5 });
  const ticked = runnerWith(agent, agentsOf(agent)).tick();
  await reaches(id, "running");
  await eventually(() => agent.inputs.length === 1, "the call");
  await clock.advance(5000);
  await ticked;
  const { status, report } = await find(id);
  assert.deepEqual([status, report?.inputTokens], ["timed-out", 7]);
});
