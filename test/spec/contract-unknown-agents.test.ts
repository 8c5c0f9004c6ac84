// Specification, section 2: unknown agent ids fall back to the default agent. `agents.unknown` refuses them instead.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadSettings, startTestGateway } from "../support/gateway.ts";
import { codeOf, mapping, moduleOf, runOf } from "../support/mapped.ts";

const agents = { list: [{ id: "main" }, { id: "ops" }] };
const transform = { transform: { module: "named.mjs" } };
const files = { "transforms/named.mjs": moduleOf("return { agentId: input.payload.agentId };") };

test("by default, the default agent runs it, and a mapping that names an unknown agent is warned about at the start", async (t) => {
  const mappings = [mapping("typo", { agentId: "opps" }), mapping("named", transform)];
  const gateway = await startTestGateway(t, { agents, hooks: { mappings } }, { files });
  for (const [name, payload] of [
    ["typo", {}],
    ["named", { agentId: "opps" }],
  ] as const) {
    const { agentId, requestedAgentId } = await runOf(gateway, await gateway.post(name, payload));
    assert.deepEqual([agentId, requestedAgentId], ["main", "opps"], name);
  }
  const warned = gateway.logLines.filter((line) => line.includes("hooks.mappings[0].agentId"));
  assert.equal(warned.length, 1);
  assert.match(warned[0] ?? "", /the default agent, main, runs instead; did you mean ops\?/);
});

test("with refuse, a request and a transform that name an unknown agent get 400 and store nothing", async (t) => {
  const settings = {
    agents: { ...agents, unknown: "refuse" },
    hooks: { mappings: [mapping("named", transform)] },
  };
  const gateway = await startTestGateway(t, settings, { files });
  assert.deepEqual(codeOf(await gateway.post("agent", { message: "m", agentId: "opps" })), [
    400,
    "agent-unknown",
  ]);
  assert.deepEqual(codeOf(await gateway.post("named", { agentId: "opps" })), [400, "agent-unknown"]);
  assert.deepEqual(await gateway.runs(), []);
  assert.equal((await runOf(gateway, await gateway.post("named", { agentId: "OPS" }))).agentId, "ops");
  assert.equal((await runOf(gateway, await gateway.post("agent", { message: "m" }))).agentId, "main");
});

test("with refuse, a mapping that names an unknown agent keeps the gateway from starting", (t) => {
  const mappings = [mapping("typo", { agentId: "opps" })];
  const hooks = { enabled: true, token: "a-hook-token-that-is-long-enough", mappings };
  const loaded = loadSettings(t, { agents: { ...agents, unknown: "refuse" }, hooks });
  assert.ok(!loaded.ok);
  assert.deepEqual(
    loaded.problems.map(({ path }) => path),
    ["hooks.mappings[0].agentId"],
  );
});
