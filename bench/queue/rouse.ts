// Our queue, twice: the whole runner with an agent that replies at once, and the store alone, claimed and settled by
// the same work loop. Every end is stored with its summary.
import type { Agent } from "../../src/agents/agent.ts";
import { createAgents } from "../../src/agents/registry.ts";
import type { AgentConfig } from "../../src/config/config.ts";
import { systemClock } from "../../src/core/clock.ts";
import { newId } from "../../src/core/id.ts";
import { silentLog } from "../../src/core/log.ts";
import type { ClaimedRun } from "../../src/core/run.ts";
import { createRunner } from "../../src/runner/runner.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/ports/store.ts";
import { createLoop } from "../../src/work/loop.ts";
import { acceptanceOf, endOf, newRun } from "../runs.ts";
import type { Job, QueueContender } from "./contender.ts";

const leaseSeconds = 15;
const leaseMs = leaseSeconds * 1000;
const batch = 1000;

const open = (address: string): Promise<Store> =>
  openStore(
    address.startsWith("postgres")
      ? { url: address, path: "", leaseSeconds }
      : { url: null, path: address, leaseSeconds },
  );

async function fill(address: string, jobs: readonly Job[]): Promise<void> {
  const store = await open(address);
  for (let at = 0; at < jobs.length; at += batch)
    await Promise.all(
      jobs.slice(at, at + batch).map(({ lane }) => store.accept(acceptanceOf(newRun({ lane })))),
    );
  await store.close();
}

const unfinishedSql = "select count(*) as count from run where ended_at is null";

/** An agent with a budget, as real ones have. */
const main: AgentConfig = {
  id: "main",
  default: true,
  workspace: "/nowhere",
  instructions: null,
  instructionsFile: null,
  fallback: null,
  tools: [],
  model: null,
  thinking: null,
  kind: "http",
  url: "http://127.0.0.1:9/",
  secret: null,
};

export const runner: QueueContender = {
  fill,
  unfinishedSql,
  async work(address, slots, handle) {
    const store = await open(address);
    const replying: Agent = {
      async run({ data }) {
        await handle(data[0]?.text ?? "");
        return { kind: "replied", reply: "done" };
      },
    };
    const agents = createAgents([main], () => replying);
    const policy = {
      maxConcurrent: slots,
      maxAttempts: 3,
      timeoutSeconds: 600,
      budget: { runsPerDay: 1_000_000_000, tokensPerDay: 1_000_000_000_000, moneyPerDay: null },
      prices: {},
      deliverFailures: true,
      keepToolCalls: false,
      // Hardly any history for a run without a model: the subject is the queue, not a long conversation.
      contextTokens: { "": 1 },
      configured: [],
    };
    const running = createRunner({
      store,
      agents: () => agents,
      policy: () => policy,
      clock: systemClock,
      log: silentLog,
      leaseMs,
      onFull: () => store.announce("runs"),
    });
    store.listen({ runs: running.poll, deliveries: () => {}, changes: () => {} });
    running.start();
    return {
      async stop() {
        await running.drain(10_000);
        await store.close();
      },
    };
  },
};

export const storeOnly: QueueContender = {
  fill,
  unfinishedSql,
  async work(address, slots, handle) {
    const store = await open(address);
    const loop = createLoop<ClaimedRun>({
      name: "runs",
      clock: systemClock,
      log: silentLog,
      capacity: () => slots,
      onFull: () => store.announce("runs"),
      claim: (limit) => store.claimRuns({ kind: "hook", limit, lease: newId(), leaseMs }),
      async handle(run, freeSlot) {
        await handle(run.sessionKey);
        freeSlot();
        await store.settleRun(run, endOf(run));
      },
    });
    store.listen({ runs: loop.poll, deliveries: () => {}, changes: () => {} });
    loop.start();
    return {
      async stop() {
        await loop.drain();
        await store.close();
      },
    };
  },
};
