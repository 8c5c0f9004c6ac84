import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { agentSettings } from "../../test/builders/agent.ts";
import { makeFolder } from "../../test/support/folder.ts";
import { contractInput } from "../../src/agents/agent.contract.ts";
import { createCommandAgent } from "../../src/agents/command/command.ts";

test("the script replies with the task and the first line of each outside text", async () => {
  const agent = createCommandAgent({
    ...agentSettings,
    kind: "command",
    preset: null,
    input: "json",
    workspace: makeFolder("first-lines"),
    command: process.execPath,
    args: [fileURLToPath(new URL("./first-lines.mjs", import.meta.url))],
    env: [],
    outputLimitBytes: 1_000_000,
  });
  const about = { source: "request", length: 9 } as const;
  const input = {
    ...contractInput(),
    instructions: "Summarise: [data 1], [data 2]",
    data: [
      { id: 1, label: "subject", text: "Hello", truncated: false, ...about },
      { id: 2, label: "body", text: "Dear all,\n[end 1]", truncated: true, ...about },
    ],
  };
  assert.deepEqual(await agent.run(input, new AbortController().signal), {
    kind: "replied",
    reply: "Summarise: [data 1], [data 2]\n- [data 1] subject: Hello\n- [data 2] body: Dear all, (cut)",
  });
});
