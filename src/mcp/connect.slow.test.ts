// MCP servers that cannot be used.
import assert from "node:assert/strict";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test, type TestContext } from "node:test";
import { mcpProgram } from "../../test/fixtures/mcp-program.ts";
import { openGate } from "../../test/fixtures/tool-call.ts";
import { makeFolder } from "../../test/support/folder.ts";
import type { McpServerConfig } from "../config/config.ts";
import { createReaper } from "../processes/reaper.ts";
import { connectMcp } from "./connect.ts";
import { ToolFault } from "./fault.ts";

const workspace = makeFolder("mcp");
after(() => rmSync(workspace, { recursive: true, force: true }));

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

async function responding(t: TestContext, status: number, type = "text/plain"): Promise<McpServerConfig> {
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

test("a server that cannot be used is a fault that may pass or not", async (t) => {
  const gone: McpServerConfig = { kind: "http", url: `http://127.0.0.1:${await closedPort()}/`, headers: {} };
  const missing: McpServerConfig = { kind: "command", command: "/no/such/program", args: [], env: [] };
  const cases: [McpServerConfig, RegExp, boolean][] = [
    [gone, /^the MCP server it could not be reached \(ECONNREFUSED\)$/, true],
    [await responding(t, 503), /^the MCP server it responded with HTTP 503$/, true],
    [await responding(t, 401), /^the MCP server it responded with HTTP 401$/, false],
    [await responding(t, 200), /^the MCP server it does not respond as an MCP server does$/, false],
    [
      missing,
      /^the MCP server it could not be started: the command \/no\/such\/program was not found: install it, or write its whole path$/,
      false,
    ],
    [mcpProgram("broken"), /^the MCP server it ended with exit code 3: no key was given$/, true],
  ];
  for (const [config, message, mayPass] of cases) {
    const fault = await faultOf(config);
    assert.match(fault.message, message);
    assert.equal(fault.mayPass, mayPass, fault.message);
  }
});

test("values of variables reach the program, and stand in no fault", async () => {
  const script = 'echo "$TOKEN is wrong, from $PWD" >&2; exit 3';
  const env = { TOKEN: "tickets-token-0123456789", HOME: workspace };
  const fault = await faultOf({ kind: "command", command: "/bin/sh", args: ["-c", script], env });
  assert.equal(fault.message, "the MCP server it ended with exit code 3: ${TOKEN} is wrong, from ${HOME}");
});

test("a silent server times out, and a stop ends the wait", async (t) => {
  const silent = await faultOf(mcpProgram("silent"), 300);
  assert.deepEqual(
    [silent.message, silent.mayPass],
    ["the MCP server it did not respond within 0.3 seconds", true],
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
  assert.match(mute.message, /did not respond within 0\.1 seconds/);
  assert.equal((await faultOf(mcpProgram(), undefined, AbortSignal.abort())).message, "it was stopped");
  const stop = new AbortController();
  server.once("request", () => stop.abort());
  assert.equal(
    (await faultOf({ kind: "http", url, headers: {} }, undefined, stop.signal)).message,
    "it was stopped",
  );
});
