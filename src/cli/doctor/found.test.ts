import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { makeFolder } from "../../../test/support/folder.ts";
import { parse } from "../../../test/fixtures/config.ts";
import { initialConfig, newToken } from "../../config/write/write.ts";
import { createConfig, createFolder, json } from "../../../test/fixtures/command-line.ts";
import { type Found, findOnMachine, foundFinding, linesOf } from "./found.ts";

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  t.after(() => server.closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const listing =
  (path: string, body: unknown, status = 200): RequestListener =>
  ({ url }, response) =>
    void response.writeHead(url === path ? status : 404).end(JSON.stringify(body));

function makePrograms(t: TestContext, ...names: string[]): string {
  const folder = makeFolder("found");
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of names) writeFileSync(join(folder, name), "#!/bin/sh\n", { mode: 0o755 });
  return folder;
}

/** Writes the lines into a config as a user would, each at the location it names. */
function pasted({ agents, models }: Found): string {
  const first = initialConfig({ hookToken: newToken(), gatewayToken: newToken() });
  const within = first.replace('"agents": {', () => `"agents": {\n    ${agents}`);
  return models === null ? within : within.replace("{\n", () => `{\n  ${models}\n`);
}

test("programs, servers and keys are found, and their lines make a config that can be used", async (t) => {
  const path = makePrograms(t, "claude", "codex", "gemini");
  const tags = { models: [{ name: "nomic-embed-text:latest" }, { name: "llama3.2:latest" }] };
  const ollama = await serve(t, listing("/api/tags", tags));
  const other = await serve(t, listing("/v1/models", { object: "list", data: [{ id: "org/model-7b" }] }));
  const env = {
    PATH: path,
    ANTHROPIC_API_KEY: "secret-1",
    OPENAI_API_KEY: "secret-2",
    GOOGLE_API_KEY: "secret-3",
    OPENROUTER_API_KEY: "secret-4",
  };
  const servers = [
    { name: "ollama", words: "Ollama", origin: ollama, list: "/api/tags" },
    { name: "vllm", words: "vLLM", origin: other, list: "/v1/models" },
  ];
  const found = await findOnMachine(env, servers, 60_000);
  assert.deepEqual(
    found.map(({ name }) => name),
    ["claude", "codex", "gemini", "ollama", "vllm", "anthropic", "openai", "google", "openrouter"],
  );
  for (const each of found) {
    const result = parse(pasted(each), { env });
    assert.ok(result.ok, JSON.stringify(result));
    assert.deepEqual(result.warnings, []);
    const [agent] = result.config.agents.list;
    assert.ok(agent && agent.id === "main" && agent.kind !== "echo", each.name);
    assert.ok(!JSON.stringify([each, linesOf(each), foundFinding(each)]).includes("secret-"));
  }
  assert.match(found[3]?.agents ?? "", /"ollama\/llama3\.2:latest"/);
  assert.match(found[4]?.agents ?? "", /"vllm\/org\/model-7b"/);
  assert.match(found[7]?.models ?? "", /\$\{GOOGLE_API_KEY\}/);
});

test("another program, a slow server and one without a model are not found", async (t) => {
  const listeners: RequestListener[] = [
    listing("/v1/models", { data: [] }),
    listing("/v1/models", {
      data: [{ id: "${HOME}" }, { id: 'a", "kind": "command' }, { id: "text-embedding-3" }],
    }),
    listing("/v1/models", { data: [{ id: "model" }] }, 401),
    listing("/elsewhere", { data: [{ id: "model" }] }),
    (_, response) => void response.end("<html>"),
    (_, response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
    () => {},
  ];
  const origins = await Promise.all(listeners.map((listener) => serve(t, listener)));
  const servers = [...origins, "http://127.0.0.1:1"].map((origin) => ({
    name: "x",
    words: "X",
    origin,
    list: "/v1/models",
  }));
  assert.deepEqual(await findOnMachine({ PATH: "", OPENAI_API_KEY: " " }, servers), []);
});

const agentsFound = (found: readonly { name: string }[]) =>
  found.map(({ name }) => name).filter((name) => ["claude", "openai", "gemini"].includes(name));

test("while echo is the only agent, doctor and init propose the programs they find, and keep echo", async (t) => {
  const path = makePrograms(t, "claude");
  const { rouse, folder } = createFolder(t);
  const env = { ROUSE_HOME: folder, PATH: path, OPENAI_API_KEY: "secret" };
  const { found } = json(await rouse(["init", "--json"], { env })) as { found: Found[] };
  assert.deepEqual(agentsFound(found), ["claude", "openai"]);
  const { stdout } = await rouse(["init", "--force"], { env });
  assert.match(stdout, /Found on this machine[^]*"preset": "claude"[^]*\$\{OPENAI_API_KEY\}/);
  assert.ok(!stdout.includes("secret"));
  const doctor = await rouse(["doctor"], { env });
  assert.match(doctor.stdout, /^ok +agent main: echoes/m);
  assert.match(doctor.stdout, /^ok +found claude: .*\n +→ in "agents": +"list": .*"preset": "claude"/m);
});

test("doctor proposes nothing once an agent is configured", async (t) => {
  const path = makePrograms(t, "claude");
  const agents = { list: [{ id: "main", kind: "command", preset: "claude" }] };
  const { rouse, folder } = createConfig(t, {
    gateway: { auth: { token: newToken() } },
    hooks: { enabled: true, token: newToken() },
    agents,
  });
  mkdirSync(join(folder, "workspaces"));
  const env = { ROUSE_HOME: folder, PATH: path, HOME: folder };
  const { stdout } = await rouse(["doctor"], { env: { ...env, ANTHROPIC_API_KEY: "key" } });
  assert.match(stdout, /^ok +agent main: runs .*\/claude, with ANTHROPIC_API_KEY/m);
  assert.doesNotMatch(stdout, /found claude/);
  const signedOut = (await rouse(["doctor"], { env })).stdout;
  assert.match(signedOut, /^warn +agent main: runs .*\/claude, but no key or login was found in /m);
});
