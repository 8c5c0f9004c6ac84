import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeFolder } from "../../../test/support/folder.ts";
import { scanFiles } from "./files.ts";

test("a pipe among the files is not opened, since that would block", async (t) => {
  const folder = makeFolder("files");
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [text, pipe] = [join(folder, "text"), join(folder, "pipe")];
  writeFileSync(text, "{}");
  execFileSync("mkfifo", [pipe]);
  assert.notEqual(await scanFiles([text]), null);
  assert.equal(await scanFiles([text, pipe]), null);
});
