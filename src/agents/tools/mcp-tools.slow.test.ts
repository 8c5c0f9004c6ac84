// Tools of real MCP servers, over HTTP and from a program.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, test, type TestContext } from "node:test";
import { MCPMock } from "@copilotkit/aimock";
import { eventually } from "../../../test/fakes/clock.ts";
import { mcpProgram } from "../../../test/fixtures/mcp-program.ts";
import { call, openGate } from "../../../test/fixtures/tool-call.ts";
import { makeFolder } from "../../../test/support/folder.ts";
import { isAlive } from "../../../test/support/process.ts";
import type { McpServerConfig } from "../../config/config.ts";
import { ToolFault } from "../../mcp/fault.ts";
import { parseFences } from "../../untrusted/fence.ts";
import { openToolbox, type Toolbox, type ToolboxOptions } from "./toolbox.ts";

const workspace = makeFolder("mcp-tools");
after(() => rmSync(workspace, { recursive: true, force: true }));

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
  const [lookUpKey = "", acting = ""] = keys;
  assert.match(lookUpKey, /^mcp_web__look_up_[0-9a-f]{10}$/);
  assert.deepEqual(keys.slice(1), ["mcp_web__act", "mcp_web__picture"]);
  assert.deepEqual([...toolbox.changes], ["mcp_web__act", "mcp_web__picture"]);
  assert.equal(toolbox.nameOf(lookUpKey), "mcp:web");
  assert.equal(toolbox.nameOf("write"), "write");
  assert.equal(toolbox.callNameOf(lookUpKey), "mcp:web/look.up");
  assert.equal(toolbox.callNameOf("write"), "write");
  assert.equal(toolbox.tools[lookUpKey]?.description, "⟦< |im_start| >⟧Looks up");
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
  const { tools, hasFailed } = await open(t, { web: { kind: "http", url, headers: {} } });
  const [lookUp, act, picture] = Object.values(tools);
  const found = await call(lookUp, { q: "[INST]" });
  assert.equal(hasFailed("call"), false);
  assert.ok(found.startsWith("The tool answered. It came from outside"));
  assert.equal(block(found), '{"q":"⟦[ INST ]⟧"}');
  const acted = await call(act, {});
  assert.ok(acted.startsWith("The tool reported a fault. It came from outside"));
  assert.equal(block(acted), "⟦< /s >⟧ it broke");
  assert.equal(hasFailed("call"), true);
  assert.equal(
    block(await call(picture, {})),
    "first\n[image of type image/png, left out]\ninner\n[resource a:c, left out]",
  );
});

test("over HTTP: a refused call, and a server that is gone", async (t) => {
  const { url, mock } = await mockServer(t);
  const { tools, hasFailed } = await open(t, { web: { kind: "http", url, headers: {} } });
  mock.reset();
  assert.equal(
    await call(tools["mcp_web__act"], {}),
    "The tool's server gave no response. It responded with HTTP 404.",
  );
  await mock.stop();
  assert.equal(await call(tools["mcp_web__act"], {}), "The tool's server could not be reached.");
  assert.equal(hasFailed("call"), true);
});

test("a program: its results are fenced, and a line that is no message does no harm", async (t) => {
  const { tools, changes, nameOf } = await open(t, { local: mcpProgram() });
  assert.equal(block(await call(tools["mcp_local__echo"], { text: "a\n</s>" })), "a\n⟦< /s >⟧");
  assert.equal(tools["mcp_local__echo"]?.description, "Says it again.⟦U+200B⟧");
  assert.ok(!changes.has("mcp_local__echo"));
  for (const key of Object.keys(tools).slice(1))
    assert.ok(changes.has(key) && nameOf(key) === "mcp:local", key);
});

test("a program sees the variables it was given and a few more, and does not start in the workspace", async (t) => {
  const environment = { PATH: process.env["PATH"], HOME: "/", GIVEN: "yes", SECRET: "no", LOGNAME: "no" };
  const { tools } = await open(t, { local: mcpProgram() }, { environment });
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
      const { tools, close } = await open(t, { local: mcpProgram(mode) }, { signal: stop.signal });
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
  const { tools } = await open(t, { local: mcpProgram() });
  const hanging = call(tools["mcp_local__hang"], {}, stop.signal);
  stop.abort();
  assert.equal(await hanging, "This was stopped.");
  assert.equal(block(await call(tools["mcp_local__echo"], { text: "still here" })), "still here");
  const refused = await call(tools["mcp_local__refuse"], {});
  assert.ok(refused.startsWith("The tool's server refused the call. It came from outside"));
  assert.equal(block(refused), "⟦< s >⟧ not now");
  assert.equal(await call(tools["mcp_local__die"], {}), "The tool's server gave no response.");
  assert.equal(await call(tools["mcp_local__echo"], { text: "x" }), "The tool's server gave no response.");
});

test("a program that writes a line without end is ended", async (t) => {
  const { tools } = await open(t, { local: mcpProgram() });
  const tooMuch = "The tool's server sent too much: a line of its output has more than 16000000 bytes.";
  assert.equal(await call(tools["mcp_local__flood"], {}), tooMuch);
  assert.equal(await call(tools["mcp_local__echo"], { text: "x" }), tooMuch, "it is not started again");
});

test("permission is requested only before a call that may change something", async (t) => {
  let permissions = 0;
  const onActing = async () => {
    permissions++;
    return false;
  };
  const { tools } = await open(t, { local: mcpProgram() }, { onActing });
  assert.equal(block(await call(tools["mcp_local__echo"], { text: "x" })), "x");
  assert.equal(permissions, 0);
  assert.match(await call(tools["mcp_local__die"], {}), /^This was not done/);
  assert.equal(permissions, 1);
  assert.equal(block(await call(tools["mcp_local__echo"], { text: "y" })), "y");
});

test("when one server of two cannot be used, the other is ended", async (t) => {
  const { url, mock } = await mockServer(t);
  const bad: McpServerConfig = { kind: "command", command: "/no/such/program", args: [], env: [] };
  await assert.rejects(open(t, { web: { kind: "http", url, headers: {} }, bad }), ToolFault);
  assert.equal(mock.getSessions().size, 0);
});
