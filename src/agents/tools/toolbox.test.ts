import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { asSchema } from "ai";
import { makeFolder } from "../../../test/support/folder.ts";
import { builtInTools } from "../../core/tool.ts";
import { openToolbox, type ToolboxOptions } from "./toolbox.ts";
import { ToolFault } from "../../mcp/fault.ts";
import { call, openGate } from "../../../test/fixtures/tool-call.ts";

const folder = makeFolder("toolbox");
after(() => rmSync(folder, { recursive: true, force: true }));

const options = (more: Partial<ToolboxOptions> = {}): ToolboxOptions => ({
  granted: builtInTools,
  workspace: join(folder, "work"),
  fetchHosts: ["example.com"],
  mcp: {},
  ...openGate(),
  ...more,
});

test("it holds the granted tools and nothing else", async () => {
  const granted = async (...names: string[]) =>
    Object.keys((await openToolbox(options({ granted: names }))).tools);
  assert.deepEqual(await granted(), []);
  assert.deepEqual(await granted("fetch", "read"), ["read", "fetch"]);
  assert.deepEqual(await granted("constructor", "__proto__", "unknown"), []);
  const all = await openToolbox(options());
  assert.deepEqual(Object.keys(all.tools), [...builtInTools]);
  assert.deepEqual([...all.changes], ["write"]);
  assert.equal(all.nameOf("read"), "read");
  await all.close();
});

test("every tool has a description, and a schema that is an object of described fields", async () => {
  const { tools } = await openToolbox(options());
  for (const [name, tool] of Object.entries(tools)) {
    assert.ok(typeof tool.description === "string", name);
    const { type, properties = {} } = await asSchema(tool.inputSchema).jsonSchema;
    assert.equal(type, "object");
    const fields = Object.entries(properties) as [string, { description?: string }][];
    for (const [field, each] of fields) assert.ok(each.description, `${name}.${field}`);
  }
  const { description } = tools["fetch"] ?? {};
  assert.ok(typeof description === "string" && description.includes("example.com"));
});

test("makes the workspace, and works where it is a link", async () => {
  const workspace = join(folder, "new", "deep");
  const { tools } = await openToolbox(options({ workspace }));
  await call(tools["write"], { path: "a.md", content: "text" });
  assert.equal(readFileSync(join(workspace, "a.md"), "utf8"), "text");
  symlinkSync(workspace, join(folder, "link"));
  const linked = await openToolbox(options({ workspace: join(folder, "link") }));
  assert.equal(await call(linked.tools["read"], { path: "a.md" }), "text");
});

test("nothing is written without permission", async () => {
  const workspace = join(folder, "no-leave");
  const { tools } = await openToolbox(options({ workspace, onActing: async () => false }));
  assert.match(await call(tools["write"], { path: "a.md", content: "text" }), /^This was not done/);
  assert.equal(existsSync(join(workspace, "a.md")), false);
  assert.equal(await call(tools["list"], {}), "The folder is empty.");
});

test("a call that did not do what it was for has failed, although the model gets a text for it", async () => {
  const { tools, hasFailed } = await openToolbox(options({ workspace: join(folder, "failing") }));
  assert.match(await call(tools["read"], { path: "missing" }), /missing/);
  assert.equal(hasFailed("call"), true);
  assert.equal(hasFailed("call"), false, "an id may be used again");
  await call(tools["list"], {});
  assert.equal(hasFailed("call"), false);
  const noLeave = await openToolbox(options({ onActing: async () => false }));
  await call(noLeave.tools["write"], { path: "a.md", content: "text" });
  assert.equal(noLeave.hasFailed("call"), true);
});

test("fetch calls only the allowed hosts, whose addresses must be public", async () => {
  const { tools } = await openToolbox(options({ fetchHosts: ["localhost", "127.0.0.1"] }));
  assert.match(await call(tools["fetch"], { url: "https://example.com/" }), /may not be asked/);
  assert.match(await call(tools["fetch"], { url: "http://localhost/" }), /not on the public internet/);
  assert.match(await call(tools["fetch"], { url: "http://127.0.0.1/" }), /not on the public internet/);
});

test("a tool that does not exist is a fault that does not pass", async () => {
  const fault = async (more: Partial<ToolboxOptions>) => {
    const thrown: unknown = await openToolbox(options(more)).catch((each: unknown) => each);
    assert.ok(thrown instanceof ToolFault);
    assert.equal(thrown.mayPass, false);
    return thrown.message;
  };
  for (const name of ["none", "constructor"])
    assert.equal(await fault({ granted: [`mcp:${name}`] }), `there is no mcp.servers.${name} in the config`);
  const file = join(folder, "file");
  writeFileSync(file, "");
  assert.match(await fault({ workspace: join(file, "work") }), /could not be made: ENOTDIR$/);
});
