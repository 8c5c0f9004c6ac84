// What tests of the tools share.
import assert from "node:assert/strict";
import type { Tool } from "ai";
import type { Gate } from "./execution.ts";

export const openGate = (signal = new AbortController().signal): Gate => ({
  signal,
  onActing: async () => true,
});

/** As the library calls a tool, and the text the model gets. */
export async function call(
  tool: Tool | undefined,
  input: unknown,
  abortSignal?: AbortSignal,
): Promise<string> {
  assert.ok(tool?.execute);
  const result: unknown = await tool.execute(input, {
    toolCallId: "call",
    messages: [],
    context: {},
    ...(abortSignal && { abortSignal }),
  });
  assert.ok(typeof result === "string");
  return result;
}
