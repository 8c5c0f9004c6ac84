import assert from "node:assert/strict";
import { test } from "node:test";
import { grantedTools, isToolName } from "./tool.ts";

test("a hook's run may use tools that read and granted tools, and never more than its agent", () => {
  const agent = ["read", "write", "mcp:github"];
  assert.deepEqual(grantedTools(agent, []), ["read"]);
  assert.deepEqual(grantedTools(agent, ["write", "fetch"]), ["read", "write"]);
  assert.deepEqual(grantedTools(agent, ["mcp:github", "mcp:other"]), ["read", "mcp:github"]);
  assert.deepEqual(grantedTools(agent, "agent"), agent);
  assert.deepEqual(grantedTools([], "agent"), []);
  assert.deepEqual(grantedTools([], ["write"]), []);
});

test("names of tools", () => {
  for (const name of ["read", "fetch", "mcp:git-hub_1"]) assert.equal(isToolName(name), true, name);
  for (const name of ["", "shell", "mcp:", "mcp:a b", "Read"]) assert.equal(isToolName(name), false, name);
});
