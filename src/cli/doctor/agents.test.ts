import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import test, { after, type TestContext } from "node:test";
import { makeFolder } from "../../../test/support/folder.ts";
import { configOf, gatewayToken, hookToken } from "../../../test/fixtures/config.ts";
import { checkAgents } from "./agents.ts";

const hooks = { enabled: true, token: hookToken };
const gateway = { auth: { token: gatewayToken } };
const workspace = makeFolder("doctor-agents");
after(() => rmSync(workspace, { recursive: true, force: true }));

const check = async (more: { agents: object; models?: object }) => {
  const findings = await checkAgents(configOf({ hooks, gateway, ...more }), { PATH: "" }, 0);
  return findings.map(({ status, message, fix }) => ({ status, message, fix }));
};

async function modelServer(t: TestContext, status: number) {
  const seen: { url: string | undefined; headers: IncomingHttpHeaders }[] = [];
  const server = createServer(({ url, headers }, response) => {
    seen.push({ url, headers });
    response.writeHead(status, { location: "http://127.0.0.1:1/" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { seen, port, baseUrl: `http://127.0.0.1:${port}/v1/` };
}

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const modelAgent = (id: string, model: string) => ({ id, kind: "model", model, workspace });

test("a provider is asked once for its models, with the key in the header of its kind", async (t) => {
  const { seen, baseUrl } = await modelServer(t, 200);
  const headers = {
    openai: ["authorization", "Bearer secret"],
    "openai-compatible": ["authorization", "Bearer secret"],
    anthropic: ["x-api-key", "secret"],
    google: ["x-goog-api-key", "secret"],
  } as const;
  for (const [kind, [name, value]] of Object.entries(headers)) {
    const models = { providers: { mine: { kind, baseUrl, apiKey: "secret" } } };
    const agents = { list: [modelAgent("a", "mine/one"), modelAgent("b", "mine/two")] };
    const findings = await check({ agents, models });
    assert.deepEqual(
      findings.map(({ message }) => message),
      ["one", "two"].map(
        (each) => `asks mine/${each}; its provider mine responds; its workspace can be used`,
      ),
    );
    assert.equal(seen.length, 1, kind);
    assert.deepEqual([seen[0]?.url, seen[0]?.headers[name]], ["/v1/models", value]);
    seen.length = 0;
  }
});

for (const [status, expected, words] of [
  [401, "fail", /did not accept the key \(status 401\)/],
  [403, "fail", /did not accept the key/],
  [400, "fail", /refused the key/],
  [404, "ok", /responds/],
  [307, "warn", /points elsewhere/],
  [503, "warn", /responds with status 503/],
] as const)
  test(`a provider that responds with ${status} is ${expected}`, async (t) => {
    const { baseUrl } = await modelServer(t, status);
    const models = { providers: { mine: { kind: "openai", baseUrl, apiKey: "secret" } } };
    const [finding] = await check({ agents: { list: [modelAgent("a", "mine/one")] }, models });
    assert.equal(finding?.status, expected);
    assert.match(finding?.message ?? "", words);
    assert.equal(finding?.fix === null, expected === "ok");
    assert.ok(!JSON.stringify(finding).includes("secret"));
  });

test("an unreachable provider is a warning; an alias resolves to its provider", async () => {
  const port = await closedPort();
  const models = {
    providers: { mine: { kind: "openai-compatible", baseUrl: `http://127.0.0.1:${port}/v1` } },
  };
  const agents = {
    defaults: { models: { "mine/one": { alias: "fast" } } },
    list: [
      modelAgent("a", "fast"),
      { id: "b", kind: "http", url: `http://127.0.0.1:${port}/turn?token=secret`, workspace },
    ],
  };
  const [model, http] = await check({ agents, models });
  assert.equal(model?.status, "warn");
  assert.match(model?.message ?? "", /mine could not be reached \(ECONNREFUSED\)/);
  assert.equal(http?.status, "warn");
  assert.match(http?.message ?? "", /your service on 127\.0\.0\.1:\d+ could not be reached \(ECONNREFUSED\)/);
  assert.ok(!http?.message.includes("secret"));
});

test("a service that listens can be reached, and gets no request", async (t) => {
  const { seen, port } = await modelServer(t, 200);
  const agents = { list: [{ id: "a", kind: "http", url: `http://localhost:${port}/turn`, workspace }] };
  const [finding] = await check({ agents });
  assert.deepEqual([finding?.status, seen.length], ["ok", 0]);
});

test("the program of an acp agent is found in PATH", async () => {
  const agents = {
    list: [
      { id: "a", kind: "acp", command: process.execPath, workspace },
      { id: "b", kind: "acp", command: "no-such-program", workspace },
    ],
  };
  assert.deepEqual(
    (await check({ agents })).map(({ status }) => status),
    ["ok", "fail"],
  );
});

test("an instructions file that is missing fails", async () => {
  const [finding] = await check({
    agents: { list: [{ id: "a", workspace, instructions: { file: "missing.md" } }] },
  });
  assert.equal(finding?.status, "fail");
  assert.match(finding.message, /^the instructions file cannot be read \(ENOENT\)/);
});

test("a program is looked for, and its login, with the variables that the agent has of its own", async () => {
  const bin = join(workspace, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "claude"), "#!/bin/sh\n", { mode: 0o755 });
  const agent = { id: "a", kind: "command", preset: "claude", workspace };
  const home = { PATH: bin, HOME: workspace, CLAUDE_CONFIG_DIR: workspace };
  const statusOf = async (env: object) => {
    const [found] = await check({ agents: { list: [{ ...agent, env }] } });
    return found!;
  };
  assert.equal((await statusOf({})).status, "fail");
  const signedOut = await statusOf({ ...home, ANTHROPIC_API_KEY: "" });
  if (process.platform === "linux") assert.equal(signedOut.status, "warn");
  const signedIn = await statusOf({ ...home, ANTHROPIC_API_KEY: "sk-hush" });
  assert.equal(signedIn.status, "ok");
  assert.match(signedIn.message, /with ANTHROPIC_API_KEY/);
  assert.doesNotMatch(JSON.stringify(signedIn), /hush/);
  const cloud = await statusOf({ ...home, CLAUDE_CODE_USE_BEDROCK: "1" });
  assert.match(cloud.message, /with CLAUDE_CODE_USE_BEDROCK/);
});
