import assert from "node:assert/strict";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeFolder } from "../../../test/support/folder.ts";
import { withConfigLock } from "./lock.ts";

function createFile(): { file: string; link: string } {
  const folder = makeFolder("lock");
  const [file, link] = [join(folder, "rouse.jsonc"), join(folder, "link.jsonc")];
  writeFileSync(file, "{}");
  symlinkSync("rouse.jsonc", link);
  return { file, link };
}

test("a second change waits for its turn, and is refused when that does not come, also by another name", () => {
  const { file, link } = createFile();
  const second = (name: string) => () => withConfigLock(name, () => "changed", 0);
  withConfigLock(file, () => {
    for (const name of [file, link]) assert.throws(second(name), /Another command is changing/);
  });
  for (const name of [file, link]) assert.equal(second(name)(), "changed");
});

test("a change that fails releases the lock", () => {
  const { file } = createFile();
  const failing = () => {
    throw new Error("broken");
  };
  assert.throws(() => withConfigLock(file, failing), /broken/);
  assert.equal(
    withConfigLock(file, () => "changed", 0),
    "changed",
  );
});

test("a folder that cannot be written is named", () => {
  const file = join(makeFolder("lock"), "missing", "rouse.jsonc");
  assert.throws(() => withConfigLock(file, () => "changed", 0), /rouse\.jsonc\.lock cannot be written/);
});
