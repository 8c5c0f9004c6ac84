// A runner on a real embedded store in a folder of its own, with an agent and a clock that the test controls.
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Agent } from "../../src/agents/agent.ts";
import { createAgents } from "../../src/agents/registry.ts";
import type { AgentConfig } from "../../src/config/config.ts";
import { silentLog } from "../../src/core/log.ts";
import { outsideMessage } from "../../src/core/message.ts";
import type { RunRequest } from "../../src/core/action.ts";
import type { Acceptance } from "../../src/core/request.ts";
import { createRunner, type RunnerOptions } from "../../src/runner/runner.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { Store } from "../../src/store/ports/store.ts";
import { aHeartbeatRequest, anAcceptance, anEvent } from "../builders/acceptance.ts";
import { aRun, aRunRequest } from "../builders/run.ts";
import { createFakeClock, eventually, type FakeClock } from "./clock.ts";
import { makeFolder } from "../support/folder.ts";
import { agentSettings } from "../builders/agent.ts";

export const leaseMs = 30_000;

export const mainAgent: AgentConfig = {
  ...agentSettings,
  model: "default-model",
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
    deliverFailures: true,
    keepToolCalls: false,
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
  async function enqueue(
    fields: Partial<RunRequest> = {},
    sessionKey: string | null = null,
  ): Promise<string> {
    const request = aRunRequest({
      message: outsideMessage("message", "request", "do it"),
      name: "Email",
      wakeMode: "next-heartbeat",
      deliver: false,
      ...fields,
    });
    const run = aRun({ request, ...(sessionKey !== null && { sessionKey }) });
    await accept({ runs: [run] });
    return run.id;
  }

  const accept = (parts: Partial<Acceptance>) => store.accept(anAcceptance(parts));

  async function wake(text: string, delayMs: number | null = 0): Promise<string> {
    const event = anEvent(text);
    await accept({
      events: [event],
      heartbeat: delayMs === null ? null : aHeartbeatRequest(delayMs),
    });
    return event.id;
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
