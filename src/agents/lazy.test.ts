import assert from "node:assert/strict";
import { test } from "node:test";
import { agentContract, contractInput } from "./agent.contract.ts";
import { createEchoAgent } from "./echo.ts";
import { lazyAgent, lazySummarisingAgent } from "./lazy.ts";

const going = () => new AbortController().signal;

agentContract("loaded at first use", { replying: () => lazyAgent(async () => createEchoAgent()) });

test("an agent is loaded for its first run, and only once", async () => {
  let loads = 0;
  const agent = lazyAgent(async () => {
    loads++;
    return createEchoAgent();
  });
  assert.equal(loads, 0);
  await Promise.all([agent.run(contractInput(), going()), agent.run(contractInput(), going())]);
  await agent.run(contractInput(), going());
  assert.equal(loads, 1);
});

test("an agent that cannot be loaded is a failure, not a throw", async () => {
  const agent = lazyAgent(() => Promise.reject(new Error("no such\nmodule")));
  assert.deepEqual(await agent.run(contractInput(), going()), {
    kind: "failed",
    reason: "the agent could not be loaded: no such module",
    mayPass: false,
  });
});

test("a summary loads the agent, too, and fails when that cannot be loaded", async () => {
  const wanted = { model: null, thinking: null };
  const summarise = async (said: string) => ({ kind: "replied", reply: `Of ${said}` }) as const;
  const agent = lazySummarisingAgent(async () => ({ ...createEchoAgent(), summarise }));
  assert.deepEqual(await agent.summarise("boats", wanted, going()), { kind: "replied", reply: "Of boats" });
  const missing = lazySummarisingAgent(() => Promise.reject(new Error("gone")));
  assert.equal((await missing.summarise("boats", wanted, going())).kind, "failed");
});
