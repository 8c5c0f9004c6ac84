// What a model server sends is kept until the end of the run, so it is bounded, whatever it is.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { config, modelsAt, toolboxOf } from "../../../test/fixtures/model-server.ts";
import { endlessly, startOutsider } from "../../../test/fixtures/outsider.ts";
import { contractInput } from "../agent.contract.ts";
import { createModelAgent } from "./model.ts";

const never = new AbortController().signal;
const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
const text = "x".repeat(20_000);

const chunk = (delta: object): string =>
  `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", choices: [{ index: 0, delta }] })}\n\n`;
const call = (more: object) => chunk({ tool_calls: [{ index: 0, ...more }] });
const calling = call({ id: "1", type: "function", function: { name: "read", arguments: '{"path":"' } });

const endless: readonly (readonly [string, string, string, RegExp])[] = [
  ["a reply", head, chunk({ content: text }), /its reply has more than 1048576 characters/],
  [
    "thinking",
    head,
    chunk({ reasoning_content: text }),
    /what it sent in this run has more than 16777216 characters/,
  ],
  [
    "a call of a tool",
    head + calling,
    call({ function: { arguments: text } }),
    /what it sent in this run has more than 16777216 characters/,
  ],
  ["empty events", head, chunk({ extra: text }), /the response has more than 67108864 bytes/],
];

suite("a model server that sends without end is cut off", () => {
  for (const [what, before, piece, reason] of endless)
    test(what, { timeout: 60_000 }, async (t) => {
      const { origin, closed, sentBytes } = await startOutsider(t, endlessly(before, piece, 300_000_000));
      const settings = { ...config, model: "openai-compatible/small" };
      const openToolbox = async () => toolboxOf({ read: () => "" });
      const agent = createModelAgent(settings, { models: modelsAt(origin), mcp: {}, openToolbox });
      const outcome = await agent.run(contractInput(), never);
      assert.ok(outcome.kind === "failed" && !outcome.mayPass);
      assert.match(outcome.reason, reason);
      await closed();
      assert.ok(sentBytes() < 100_000_000);
    });
});
