// What an agent tells, through the runner, to who listens and into what is kept of the attempt.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeAgent, createHeldAgent } from "../../test/fakes/agent.ts";
import { eventually } from "../../test/fakes/clock.ts";
import { setUpRunner } from "../../test/fakes/runner.ts";
import type { AgentEvent } from "../agents/agent.ts";
import type { Live, LiveEvent } from "../core/live.ts";

/** Remembers what it is told. */
function recordingLive() {
  const told: string[] = [];
  const lineOf = (event: LiveEvent) =>
    event.kind === "delta" ? event.text : `${event.name} ${event.state} ${event.ms} ${event.ok}`;
  const live: Live = {
    begin: () => void told.push("begin"),
    tell: (_runId, event) => void told.push(lineOf(event)),
    end: () => void told.push("end"),
    listen: () => null,
  };
  return { live, told };
}

const delta = (text: string, begins = false): AgentEvent => ({ kind: "delta", text, begins });
const started: AgentEvent = { kind: "tool", state: "started", id: "1", name: "read", input: () => "in" };
const ended: AgentEvent = { kind: "tool", state: "ended", id: "1", ok: true, output: () => "out" };

test("text and tools are told in order, a new text apart from the one before, and the reply is the agent's", async (t) => {
  const { runnerWith, enqueue, find, store, clock } = await setUpRunner(t);
  const id = await enqueue();
  const agent = createFakeAgent(async ({ onEvent }) => {
    for (const event of [delta("", true), delta("Let me "), delta(""), delta("look."), started])
      onEvent?.(event);
    await clock.advance(5);
    for (const event of [ended, delta("", true), delta("Done."), delta(" Really.")]) onEvent?.(event);
    return { kind: "replied", reply: "The reply." };
  });
  const { live, told } = recordingLive();
  await runnerWith(agent, { live }).tick();
  assert.deepEqual(told, [
    "begin",
    "Let me ",
    "look.",
    "read started null null",
    "read ended 5 true",
    "\n\nDone.",
    " Really.",
    "end",
  ]);
  assert.equal((await find(id)).reply, "The reply.");
  assert.deepEqual((await store.listAttempts(id))[0]?.toolCalls, [
    { name: "read", atMs: 0, tookMs: 5, ok: true, input: null, output: null },
  ]);
});

test("with agents.keepToolCalls the input and output of a tool are kept", async (t) => {
  const { runnerWith, enqueue, store, policy } = await setUpRunner(t);
  const id = await enqueue();
  const agent = createFakeAgent(({ onEvent }) => {
    onEvent?.(started);
    onEvent?.(ended);
    return { kind: "replied", reply: "done" };
  });
  await runnerWith(agent, { policy: () => ({ ...policy, keepToolCalls: true }) }).tick();
  const [attempt] = await store.listAttempts(id);
  assert.deepEqual(
    attempt?.toolCalls.map(({ input, output }) => [input, output]),
    [["in", "out"]],
  );
});

test("calls that are not kept are a warning on the run", async (t) => {
  const { runnerWith, enqueue, find } = await setUpRunner(t);
  const id = await enqueue();
  const agent = createFakeAgent(({ onEvent }) => {
    for (let at = 0; at < 201; at++) onEvent?.({ ...started, id: `${at}` });
    return { kind: "replied", reply: "done", report: { warnings: ["another"] } };
  });
  await runnerWith(agent).tick();
  assert.deepEqual((await find(id)).report?.warnings, [
    "another",
    "Of 201 calls of tools, the first 200 are kept.",
  ]);
});

test("a stopped agent's late words go nowhere; its tools are kept as far as they came", async (t) => {
  const { runnerWith, enqueue, store, reaches, clock } = await setUpRunner(t);
  const id = await enqueue({ timeoutSeconds: 5 });
  const agent = createHeldAgent({ deaf: true });
  const { live, told } = recordingLive();
  void runnerWith(agent, { live }).tick();
  await eventually(() => agent.inputs.length === 1);
  const { onEvent } = agent.inputs[0]!;
  await clock.advance(1000);
  onEvent?.(started);
  await clock.advance(4000);
  await reaches(id, "timed-out");
  for (const event of [ended, delta("late")]) onEvent?.(event);
  assert.deepEqual(told, ["begin", "read started null null", "end"]);
  assert.deepEqual((await store.listAttempts(id))[0]?.toolCalls, [
    { name: "read", atMs: 1000, tookMs: null, ok: null, input: null, output: null },
  ]);
});

test("each attempt begins anew, and one that fails also ends", async (t) => {
  const { runnerWith, enqueue, clock } = await setUpRunner(t);
  await enqueue();
  let calls = 0;
  const agent = createFakeAgent(({ onEvent }) => {
    onEvent?.(delta(`try ${++calls}`, true));
    if (calls === 1) return { kind: "failed", reason: "busy", mayPass: true };
    throw new Error("broken");
  });
  const { live, told } = recordingLive();
  const runner = runnerWith(agent, { live });
  await runner.tick();
  await clock.advance(2000);
  await runner.tick();
  assert.deepEqual(told, ["begin", "try 1", "end", "begin", "try 2", "end"]);
});

test("nothing begins where the agent is not called", async (t) => {
  const { runnerWith, enqueue, store } = await setUpRunner(t);
  const id = await enqueue();
  const { live, told } = recordingLive();
  await store.cancelRun(id, { error: "", summary: null, heartbeat: null });
  await runnerWith(createFakeAgent(), { live }).tick();
  assert.deepEqual(told, []);
});
