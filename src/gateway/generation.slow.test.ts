// A process of its own for each case, because a library stays loaded.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

const address = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href);

/** The packages that are asked for by the time a generation with such an agent is ready, and with its first run. */
async function packagesLoaded(kind: "echo" | "http" | "model"): Promise<{ ready: string[]; run: string[] }> {
  const script = `
    import { registerHooks } from "node:module";
    const seen = [];
    registerHooks({
      resolve(specifier, context, next) {
        if (/^(@|[a-z])/.test(specifier) && !/^(node|file|data):/.test(specifier)) seen.push(specifier);
        return next(specifier, context);
      },
    });
    const { prepareGeneration } = await import(${address("./generation.ts")});
    const { testConfig } = await import(${address("../../test/fixtures/hooks-server.ts")});
    const { agentSettings } = await import(${address("../../test/builders/agent.ts")});
    const { contractInput } = await import(${address("../agents/agent.contract.ts")});
    const config = testConfig();
    const kinds = {
      echo: {},
      http: { url: "http://127.0.0.1:1/", secret: null },
      model: { maxSteps: 5, fetchHosts: [], model: "nobody/small" },
    };
    const agent = { ...agentSettings, id: "one", default: true, kind: "${kind}", ...kinds["${kind}"] };
    const { generation } = await prepareGeneration({ ...config, agents: { ...config.agents, list: [agent] } });
    const ready = seen.splice(0);
    await generation.agents.main.agent.run(contractInput(), new AbortController().signal);
    console.log(JSON.stringify({ ready, run: seen }));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  return JSON.parse(stdout) as { ready: string[]; run: string[] };
}

for (const [kind, library] of [
  ["http", "undici"],
  ["model", "ai"],
] as const)
  test(`the libraries of a configured agent of kind ${kind} are loaded before there are requests`, async () => {
    const { ready, run } = await packagesLoaded(kind);
    assert.ok(ready.includes(library), ready.join());
    assert.deepEqual(run, [], "its first run holds up nothing by loading more");
  });

test("a generation without such agents loads none of their libraries", async () => {
  const { ready } = await packagesLoaded("echo");
  assert.deepEqual(
    ready.filter((name) => name === "undici" || name === "ai"),
    [],
  );
});
