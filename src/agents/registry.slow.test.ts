import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import type { AgentConfig } from "../config/config.ts";
import { contractInput } from "./agent.contract.ts";
import { agentMaker, createAgents } from "./registry.ts";
import { agentSettings } from "../../test/builders/agent.ts";

const shared = { models: { providers: {}, prices: {}, contextTokens: {} }, mcp: {} };

const echo = (id: string, isDefault = false): AgentConfig => ({
  ...agentSettings,
  id,
  default: isDefault,
  kind: "echo",
});

test("an agent is found by its id", () => {
  const agents = createAgents([echo("one"), echo("two", true)], agentMaker(shared));
  assert.equal(agents.find("one").config.id, "one");
  assert.equal(agents.main.config.id, "two");
});

test("an unknown id gives the default agent", () => {
  const agents = createAgents([echo("one"), echo("two", true)], agentMaker(shared));
  assert.equal(agents.find("three"), agents.main);
});

const model: AgentConfig = {
  ...echo("thinker", true),
  kind: "model",
  maxSteps: 5,
  fetchHosts: [],
  model: "nobody/small",
};

/** The packages that a process has loaded after it loaded the gateway, and then after it did `more`. */
async function packagesLoaded(more: string): Promise<[before: string[], after: string[]]> {
  const address = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
  const script = `
    import { registerHooks } from "node:module";
    const seen = new Set();
    registerHooks({
      resolve(specifier, context, next) {
        if (/^(@|[a-z])/.test(specifier) && !/^(node|file|data):/.test(specifier)) seen.add(specifier);
        return next(specifier, context);
      },
    });
    await import(${address("../gateway/gateway.ts")});
    const { agentMaker, createAgents } = await import(${address("./registry.ts")});
    const agents = (list) => createAgents(list, agentMaker(${JSON.stringify(shared)}));
    const { echo, model, input } = ${JSON.stringify({ echo: echo("echo", true), model, input: contractInput() })};
    const before = [...seen];
    ${more}
    console.log(JSON.stringify([before, [...seen]]));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  return JSON.parse(stdout) as [string[], string[]];
}

const heavy = /^(ai|@ai-sdk\/.*|@agentclientprotocol\/.*|marked)$/;

test("a gateway with only echo loads no other library; a model's are loaded with its first run", async () => {
  const [before, after] = await packagesLoaded(`
    const run = (config) => agents([config]).main.agent.run(input, new AbortController().signal);
    agents([{ ...echo, default: false }, model]);
    const reply = await run(echo);
    if (reply.kind !== "replied") throw new Error(JSON.stringify(reply));
    before.push(...seen);
    const outcome = await run(model);
    if (!outcome.reason.includes("models.providers")) throw new Error(JSON.stringify(outcome));
  `);
  assert.ok(before.includes("jsonc-parser") || before.includes("zod"), before.join());
  assert.deepEqual(
    before.filter((name) => heavy.test(name)),
    [],
  );
  assert.ok(after.includes("ai"));
  assert.ok(
    !after.some((name) => /^@ai-sdk\/(openai|anthropic|google)/.test(name)),
    "no server of these kinds was called",
  );
});
