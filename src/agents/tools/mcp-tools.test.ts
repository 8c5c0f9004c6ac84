import assert from "node:assert/strict";
import { test } from "node:test";
import { openGate } from "../../../test/fixtures/tool-call.ts";
import { keyOf, mcpTools } from "./mcp-tools.ts";

test("keys fit every model API and are unique", () => {
  const taken = new Set<string>();
  const pairs = [
    ["mcp:a", "b"],
    ["mcp:a", "b.c"],
    ["mcp:a", "b_c"],
    ["mcp:a", "b/c"],
    ["mcp:a__b", "c"],
    ["mcp:a", "b__c"],
    [`mcp:${"s".repeat(64)}`, "one"],
    [`mcp:${"s".repeat(64)}`, "two"],
    ["mcp:a", "ü".repeat(200)],
    ["mcp:a", ""],
  ] as const;
  for (const [server, tool] of pairs) {
    const key = keyOf(server, tool, taken);
    assert.match(key, /^[a-zA-Z0-9_-]{1,64}$/);
    assert.ok(!taken.has(key), key);
    taken.add(key);
  }
});

test("a tool that is listed twice is taken once", () => {
  const definition = { name: "x", inputSchema: {} };
  const connection = {
    name: "mcp:a",
    client: null as never,
    definitions: [definition, definition],
    broken: new AbortController().signal,
    close: async () => {},
  };
  assert.deepEqual(
    mcpTools(connection, openGate(), new Set()).map(({ key }) => key),
    ["mcp_a__x"],
  );
});
