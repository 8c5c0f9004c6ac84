import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeAgent, createHeldAgent } from "../../test/fakes/agent.ts";
import { agentContract, contractInput } from "./agent.contract.ts";
import { createEchoAgent } from "./echo.ts";

agentContract("echo", { replying: createEchoAgent });

agentContract("fake", {
  replying: () => createFakeAgent(),
  failing: () => createFakeAgent(() => ({ kind: "failed", reason: "a fault", mayPass: false })),
  endless: () => createHeldAgent(),
});

test("replies with exactly the prompt", async () => {
  const prompt = "  spaces, \n lines and \u0000 stay  ";
  const outcome = await createEchoAgent().run(contractInput(prompt), new AbortController().signal);
  assert.deepEqual(outcome, { kind: "replied", reply: prompt });
});
