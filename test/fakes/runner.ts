// A runner on a real embedded store in a folder of its own, with an agent and a clock that the test holds.
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Agent } from "../../src/agents/agent.ts";
import { createAgents } from "../../src/agents/registry.ts";
import type { AgentConfig } from "../../src/config/config.ts";
import { newId } from "../../src/core/id.ts";
import { silentLog } from "../../src/core/log.ts";
import { outsideMessage } from "../../src/core/message.ts";
import type { RunRequest } from "../../src/core/action.ts";
import type { NewRun } from "../../src/core/run.ts";
import { createRunner, type RunnerOptions } from "../../src/runner/runner.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/ports/store.ts";
import { createFakeClock, eventually, type FakeClock } from "./clock.ts";
import { makeFolder } from "../support/folder.ts";

export const leaseMs = 30_000;

export const mainAgent: AgentConfig = {
  id: "main",
  default: true,
  workspace: "/nowhere",
  instructions: null,
  instructionsFile: null,
  fallback: null,
  tools: [],
  model: "default-model",
  thinking: null,
  kind: "echo",
};

export async function openTestStore(test: TestContext, clock: FakeClock): Promise<Store> {
  const folder = makeFolder("work");
  const store = await openSqliteStore({ path: join(folder, "rouse.db"), clock, leaseMs });
  test.after(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return store;
}

export async function setUpRunner(test: TestContext) {
  const clock = createFakeClock();
  const store = await openTestStore(test, clock);
  const policy = {
    maxConcurrent: 4,
    maxAttempts: 3,
    timeoutSeconds: 600,
    budget: { runsPerDay: 1000, tokensPerDay: 5_000_000, moneyPerDay: null },
    prices: {},
    contextTokens: {},
    configured: [],
  };

  const runnerWith = (agent: Agent, more: Partial<RunnerOptions> = {}) =>
    createRunner({
      store,
      agents: () => createAgents([mainAgent], () => agent),
      policy: () => policy,
      clock,
      log: silentLog,
      leaseMs,
      random: () => 0,
      ...more,
    });

  /** Accepts a run; with a session key it is part of a conversation. */
  async function enqueue(asked: Partial<RunRequest> = {}, sessionKey: string | null = null): Promise<string> {
    const id = newId();
    const key = sessionKey ?? `hook:${id}`;
    const run: NewRun = {
      id,
      kind: "hook",
      hook: "agent",
      agentId: "main",
      requestedAgentId: null,
      sessionKey: key,
      isolated: sessionKey === null,
      request: {
        message: outsideMessage("message", "request", "do it"),
        unsafe: false,
        name: "Email",
        wakeMode: "next-heartbeat",
        deliver: false,
        channel: "last",
        to: null,
        fallback: null,
        model: null,
        thinking: null,
        timeoutSeconds: null,
        trace: null,
        tools: [],
        ...asked,
      },
    };
    await accept({ runs: [run] });
    return id;
  }

  const accept = (more: Partial<Parameters<Store["accept"]>[0]>) =>
    store.accept({
      id: newId(),
      hook: "agent",
      events: [],
      runs: [],
      heartbeat: null,
      idempotency: null,
      response: { status: 202, body: {} },
      ...more,
    });

  async function wake(text: string, delayMs: number | null = 0): Promise<string> {
    const id = newId();
    await accept({
      events: [
        {
          id,
          sessionKey: "main",
          source: "wake",
          hook: "wake",
          text: outsideMessage("text", "request", text),
        },
      ],
      heartbeat: delayMs === null ? null : { agentId: "main", delayMs },
    });
    return id;
  }

  const find = async (id: string) => {
    const run = await store.findRun(id);
    if (!run) throw new Error("the run is gone");
    return run;
  };
  const reaches = (id: string, status: string) =>
    eventually(async () => (await find(id)).status === status, `status ${status}`);
  const heartbeats = () => store.listRuns({ kind: "heartbeat", limit: null });
  const summaries = async () =>
    (await store.listEvents({ limit: null })).filter((each) => each.source === "summary");

  return { clock, store, policy, runnerWith, enqueue, accept, wake, find, reaches, heartbeats, summaries };
}
