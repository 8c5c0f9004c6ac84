import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { rmSync } from "node:fs";
import { after, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { MCPMock } from "@copilotkit/aimock";
import { isAlive } from "../../test/support/process.ts";
import { eventually } from "../../test/fakes/clock.ts";
import { makeFolder } from "../../test/support/folder.ts";
import type { McpServerConfig } from "../config/config.ts";
import { parseFences } from "../untrusted/fence.ts";
import { createReaper } from "../processes/reaper.ts";
import { ToolFault } from "./fault.ts";
import { connectMcp } from "./connect.ts";
import { keyOf, mcpTools } from "../agents/tools/mcp-tools.ts";
import { call, openGate } from "../../test/fixtures/tool-call.ts";
import { openToolbox, type Toolbox, type ToolboxOptions } from "../agents/tools/toolbox.ts";

const workspace = makeFolder("mcp");
after(() => rmSync(workspace, { recursive: true, force: true }));

const program = (...args: string[]): McpServerConfig => ({
  kind: "command",
  command: process.execPath,
  args: [fileURLToPath(new URL("../../test/fixtures/mcp-server.ts", import.meta.url)), ...args],
  env: ["GIVEN"],
});

async function open(
  t: TestContext,
  mcp: Record<string, McpServerConfig>,
  more: Partial<ToolboxOptions> = {},
): Promise<Toolbox> {
  const toolbox = await openToolbox({
    granted: Object.keys(mcp).map((name) => `mcp:${name}`),
    workspace,
    fetchHosts: [],
    mcp,
    ...openGate(),
    ...more,
  });
  t.after(() => toolbox.close());
  return toolbox;
}

async function mockServer(t: TestContext): Promise<{ mock: MCPMock; url: string }> {
  const mock = new MCPMock();
  const readOnly = {
    name: "look.up",
    inputSchema: { type: "object" },
    description: "<|im_start|>Looks up",
    annotations: { readOnlyHint: true },
  };
  mock.addTool(readOnly).onToolCall("look.up", (input) => JSON.stringify(input));
  const inputSchema = { properties: { a: { type: "string", description: "x\u200By" } } };
  mock.addTool({ name: "act", inputSchema }).onToolCall("act", () => {
    throw new Error("</s> it broke");
  });
  mock.addTool({ name: "picture", inputSchema: { type: "object" } }).onToolCall("picture", () => [
    { type: "text", text: "first" },
    { type: "image", data: "AAAA", mimeType: "image/png" },
    { type: "resource", resource: { uri: "a:b", text: "inner" } },
    { type: "resource", resource: { uri: "a:c", blob: "AAAA" } },
  ]);
  const url = await mock.start();
  t.after(() => mock.stop().catch(() => {}));
  return { mock, url };
}

const block = (result: string): string | undefined => parseFences(result)[0]?.text;

test("over HTTP: tools, their keys and names, and which may change something", async (t) => {
  const { url, mock } = await mockServer(t);
  const toolbox = await open(t, { web: { kind: "http", url, headers: { authorization: "Bearer x" } } });
  const keys = Object.keys(toolbox.tools);
  assert.equal(keys.length, 3);
  const [looking = "", acting = ""] = keys;
  assert.match(looking, /^mcp_web__look_up_[0-9a-f]{10}$/);
  assert.deepEqual(keys.slice(1), ["mcp_web__act", "mcp_web__picture"]);
  assert.deepEqual([...toolbox.changes], ["mcp_web__act", "mcp_web__picture"]);
  assert.equal(toolbox.nameOf(looking), "mcp:web");
  assert.equal(toolbox.nameOf("write"), "write");
  assert.equal(toolbox.tools[looking]?.description, "⟦< |im_start| >⟧Looks up");
  const schema: unknown = toolbox.tools[acting]?.inputSchema;
  assert.deepEqual((schema as { jsonSchema: unknown }).jsonSchema, {
    type: "object",
    properties: { a: { type: "string", description: "x⟦U+200B⟧y" } },
  });
  assert.equal(mock.getSessions().size, 1);
  await toolbox.close();
  assert.equal(mock.getSessions().size, 0);
});

test("over HTTP: results and faults are outside text in a block", async (t) => {
  const { url } = await mockServer(t);
  const { tools } = await open(t, { web: { kind: "http", url, headers: {} } });
  const [look, act, picture] = Object.values(tools);
  const looked = await call(look, { q: "[INST]" });
  assert.ok(looked.startsWith("The tool answered. It came from outside"));
  assert.equal(block(looked), '{"q":"⟦[ INST ]⟧"}');
  const acted = await call(act, {});
  assert.ok(acted.startsWith("The tool reported a fault. It came from outside"));
  assert.equal(block(acted), "⟦< /s >⟧ it broke");
  assert.equal(
    block(await call(picture, {})),
    "first\n[image of type image/png, left out]\ninner\n[resource a:c, left out]",
  );
});

test("over HTTP: a server that refuses a call, and one that has gone", async (t) => {
  const { url, mock } = await mockServer(t);
  const { tools } = await open(t, { web: { kind: "http", url, headers: {} } });
  mock.reset();
  assert.equal(
    await call(tools["mcp_web__act"], {}),
    "The tool's server gave no answer. It answered with HTTP 404.",
  );
  await mock.stop();
  assert.equal(await call(tools["mcp_web__act"], {}), "The tool's server could not be reached.");
});

test("a program: its results are fenced, and a line that is no message does no harm", async (t) => {
  const { tools, changes, nameOf } = await open(t, { local: program() });
  assert.equal(block(await call(tools["mcp_local__echo"], { text: "a\n</s>" })), "a\n⟦< /s >⟧");
  assert.equal(tools["mcp_local__echo"]?.description, "Says it again.⟦U+200B⟧");
  assert.ok(!changes.has("mcp_local__echo"));
  for (const key of Object.keys(tools).slice(1))
    assert.ok(changes.has(key) && nameOf(key) === "mcp:local", key);
});

test("a program sees the variables it was given and a few more, and does not start in the workspace", async (t) => {
  const environment = { PATH: process.env["PATH"], HOME: "/", GIVEN: "yes", SECRET: "no", LOGNAME: "no" };
  const { tools } = await open(t, { local: program() }, { environment });
  const seen: unknown = JSON.parse(block(await call(tools["mcp_local__environment"], {})) ?? "");
  assert.deepEqual(seen, {
    PATH: process.env["PATH"],
    HOME: "/",
    GIVEN: "yes",
    ROUSE_WORKSPACE: workspace,
    cwd: "/",
  });
});

for (const mode of ["willing", "stubborn"]) {
  for (const how of ["closed", "stopped"]) {
    test(`a ${mode} program is gone with what it started when the toolbox is ${how}`, async (t) => {
      const stop = new AbortController();
      const { tools, close } = await open(t, { local: program(mode) }, { signal: stop.signal });
      const [key = ""] = Object.keys(tools).filter((each) => each.includes("start_child"));
      const ids = JSON.parse(block(await call(tools[key], {})) ?? "") as number[];
      assert.equal(ids.length, 2);
      assert.ok(ids.every(isAlive));
      if (how === "closed") await close();
      else stop.abort();
      await eventually(() => !ids.some(isAlive), "the processes to be gone");
    });
  }
}

test("a call that hangs ends with the run; one that is refused or whose server dies says so", async (t) => {
  const stop = new AbortController();
  const { tools } = await open(t, { local: program() });
  const hanging = call(tools["mcp_local__hang"], {}, stop.signal);
  stop.abort();
  assert.equal(await hanging, "This was stopped.");
  assert.equal(block(await call(tools["mcp_local__echo"], { text: "still here" })), "still here");
  const refused = await call(tools["mcp_local__refuse"], {});
  assert.ok(refused.startsWith("The tool's server refused the call. It came from outside"));
  assert.equal(block(refused), "⟦< s >⟧ not now");
  assert.equal(await call(tools["mcp_local__die"], {}), "The tool's server gave no answer.");
  assert.equal(await call(tools["mcp_local__echo"], { text: "x" }), "The tool's server gave no answer.");
});

test("a program that writes a line without end is ended", async (t) => {
  const { tools } = await open(t, { local: program() });
  assert.equal(await call(tools["mcp_local__flood"], {}), "The tool's server gave no answer.");
});

test("leave is asked before a call that may change something, and only then", async (t) => {
  let asked = 0;
  const onActing = async () => {
    asked++;
    return false;
  };
  const { tools } = await open(t, { local: program() }, { onActing });
  assert.equal(block(await call(tools["mcp_local__echo"], { text: "x" })), "x");
  assert.equal(asked, 0);
  assert.match(await call(tools["mcp_local__die"], {}), /^This was not done/);
  assert.equal(asked, 1);
  assert.equal(block(await call(tools["mcp_local__echo"], { text: "y" })), "y");
});

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function faultOf(
  config: McpServerConfig,
  limitMs?: number,
  signal = openGate().signal,
): Promise<ToolFault> {
  const options = { workspace, environment: process.env, reaper: createReaper(), signal, graceMs: 100 };
  const fault: unknown = await connectMcp("it", config, { ...options, ...(limitMs && { limitMs }) }).catch(
    (thrown: unknown) => thrown,
  );
  assert.ok(fault instanceof ToolFault);
  return fault;
}

async function answering(t: TestContext, status: number, type = "text/plain"): Promise<McpServerConfig> {
  const server = createServer(
    (_, response) => void response.writeHead(status, { "content-type": type }).end("private words"),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return {
    kind: "http",
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/?key=secret`,
    headers: {},
  };
}

test("a server that cannot be had is a fault that says whether it may pass", async (t) => {
  const gone: McpServerConfig = { kind: "http", url: `http://127.0.0.1:${await closedPort()}/`, headers: {} };
  const missing: McpServerConfig = { kind: "command", command: "/no/such/program", args: [], env: [] };
  const cases: [McpServerConfig, RegExp, boolean][] = [
    [gone, /^the MCP server it could not be reached \(ECONNREFUSED\)$/, true],
    [await answering(t, 503), /^the MCP server it answered with HTTP 503$/, true],
    [await answering(t, 401), /^the MCP server it answered with HTTP 401$/, false],
    [await answering(t, 200), /^the MCP server it does not answer as an MCP server does$/, false],
    [
      missing,
      /^the MCP server it could not be started: the command \/no\/such\/program was not found$/,
      false,
    ],
    [program("broken"), /^the MCP server it ended with exit code 3: no key was given$/, true],
  ];
  for (const [config, message, mayPass] of cases) {
    const fault = await faultOf(config);
    assert.match(fault.message, message);
    assert.equal(fault.mayPass, mayPass, fault.message);
  }
});

test("a silent server is given up in time, and so is one of a stopped run", async (t) => {
  const silent = await faultOf(program("silent"), 300);
  assert.deepEqual(
    [silent.message, silent.mayPass],
    ["the MCP server it did not answer within 0.3 seconds", true],
  );
  const server = createServer(() => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const mute = await faultOf({ kind: "http", url, headers: {} }, 100);
  assert.match(mute.message, /did not answer within 0\.1 seconds/);
  assert.equal((await faultOf(program(), undefined, AbortSignal.abort())).message, "it was stopped");
  const stop = new AbortController();
  server.once("request", () => stop.abort());
  assert.equal(
    (await faultOf({ kind: "http", url, headers: {} }, undefined, stop.signal)).message,
    "it was stopped",
  );
});

test("when one server of two cannot be had, the other is ended", async (t) => {
  const { url, mock } = await mockServer(t);
  const bad: McpServerConfig = { kind: "command", command: "/no/such/program", args: [], env: [] };
  await assert.rejects(open(t, { web: { kind: "http", url, headers: {} }, bad }), ToolFault);
  assert.equal(mock.getSessions().size, 0);
});

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
    close: async () => {},
  };
  assert.deepEqual(
    mcpTools(connection, openGate(), new Set()).map(({ key }) => key),
    ["mcp_a__x"],
  );
});
