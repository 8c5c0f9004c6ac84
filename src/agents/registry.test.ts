import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentConfig } from "../config/config.ts";
import { createAgents } from "./registry.ts";

const echo = (id: string, isDefault = false): AgentConfig => ({
  id,
  default: isDefault,
  workspace: "/nowhere",
  instructions: null,
  model: null,
  thinking: null,
  kind: "echo",
});

test("finds an agent by its id", () => {
  const agents = createAgents([echo("one"), echo("two", true)]);
  assert.equal(agents.find("one").config.id, "one");
  assert.equal(agents.main.config.id, "two");
});

test("an id that is gone falls back to the default agent", () => {
  const agents = createAgents([echo("one"), echo("two", true)]);
  assert.equal(agents.find("three"), agents.main);
});
