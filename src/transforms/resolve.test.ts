import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { resolveModule } from "./resolve.ts";
import { folderWith } from "../../test/fixtures/transforms.ts";

const root = folderWith({
  "outside.ts": "",
  "transforms/a.ts": "",
  "transforms/b.js": "",
  "transforms/c.mjs": "",
  "transforms/deep/d.ts": "",
  "transforms/..odd.ts": "",
  "transforms/e.json": "",
  "transforms/f.cts": "",
});
const folder = join(root, "transforms");
mkdirSync(join(folder, "folder.ts"));
symlinkSync(join(root, "outside.ts"), join(folder, "escape.ts"));
symlinkSync(root, join(folder, "up"));
symlinkSync("a.ts", join(folder, "inner.ts"));
symlinkSync("e.json", join(folder, "data.ts"));
symlinkSync("gone.ts", join(folder, "dangling.ts"));
symlinkSync(folder, join(root, "linked"));

const messageFor = (module: string, from = folder): string => {
  const resolved = resolveModule(from, module);
  return resolved.ok ? `resolved to ${resolved.file}` : resolved.message;
};

test("a file inside the folder is found", () => {
  for (const module of ["a.ts", "b.js", "c.mjs", "deep/d.ts", "./a.ts", "..odd.ts"])
    assert.deepEqual(resolveModule(folder, module), { ok: true, file: join(folder, module) }, module);
});

test("links inside the folder, and a folder that is a link, are resolved", () => {
  assert.deepEqual(resolveModule(folder, "inner.ts"), { ok: true, file: join(folder, "a.ts") });
  assert.deepEqual(resolveModule(join(root, "linked"), "a.ts"), { ok: true, file: join(folder, "a.ts") });
});

test("a path that is not relative to the folder is refused", () => {
  const elsewhere = [
    join(folder, "a.ts"),
    "/a.ts",
    "\\a.ts",
    "~/a.ts",
    "~a.ts",
    "file:///a.ts",
    "https://x.test/a.ts",
    "C:\\a.ts",
    "C:a.ts",
    "node:fs.js",
    "../transforms/a.ts",
    "deep/../a.ts",
    "deep\\..\\a.ts",
    "..",
  ];
  for (const module of elsewhere)
    assert.match(messageFor(module), /write it relative to that folder/, module);
  assert.match(messageFor(" "), /has no name/);
});

test("links out of the folder are refused", () => {
  assert.match(messageFor("escape.ts"), /leads out of the transforms folder/);
  assert.match(messageFor("up/outside.ts"), /leads out of the transforms folder/);
  assert.ok(resolveModule(folder, "up/transforms/a.ts").ok);
});

test("a file that is no module is refused", () => {
  assert.match(messageFor("e.json"), /not a \.js, \.mjs or \.ts file/);
  assert.match(messageFor("f.cts"), /not a \.js, \.mjs or \.ts file/);
  assert.match(messageFor("a"), /write the name with its ending/);
  assert.match(messageFor("folder.ts"), /is not a file/);
  assert.match(messageFor("data.ts"), /a link to a file that is not/);
});

test("a missing file or folder is reported", () => {
  for (const module of ["gone.ts", "dangling.ts", "a.ts/b.ts", "a\0.ts"])
    assert.match(messageFor(module), /^There is no .* in the transforms folder/, module);
  assert.match(messageFor("a.ts", join(root, "nowhere")), /^The transforms folder is not there/);
});

test("no message shows the path of the folder", () => {
  for (const module of ["gone.ts", "escape.ts", "folder.ts", "data.ts", "../a.ts", "e.json"])
    assert.ok(!messageFor(module).includes(root), module);
});
