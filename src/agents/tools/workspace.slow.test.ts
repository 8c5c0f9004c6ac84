// A pipe needs `mkfifo`: no tool opens one, which would wait for its other end.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeFolder } from "../../../test/support/folder.ts";
import { call, openGate } from "../../../test/fixtures/tool-call.ts";
import { workspaceTools } from "./workspace.ts";

test("a pipe is listed, and neither read nor written", async (t) => {
  const root = makeFolder("workspace");
  t.after(() => rmSync(root, { recursive: true, force: true }));
  execFileSync("mkfifo", [join(root, "pipe")]);
  const tools = workspaceTools(root, openGate());
  assert.equal(await call(tools.list, {}), "pipe (not a plain file)");
  assert.match(await call(tools.read, { path: "pipe" }), /^"pipe" is not a plain file/);
  assert.match(await call(tools.write, { path: "pipe", content: "new" }), /^"pipe" is not a plain file/);
  assert.deepEqual(readdirSync(root), ["pipe"]);
});
