import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { makeFolder } from "../../../test/support/folder.ts";
import { folderOfUser, pathFrom } from "./folder.ts";

function createFolders(t: TestContext) {
  const folder = makeFolder("folder");
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [checkout, other, user] = ["checkout", "other", "user"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [checkout, other, user]) mkdirSync(each);
  for (const each of [checkout, other]) writeFileSync(join(each, "package.json"), "{}");
  const env = {
    INIT_CWD: user,
    npm_lifecycle_event: "rouse",
    npm_package_json: join(checkout, "package.json"),
  };
  return { checkout, other, user, env, folder };
}

test("a script of this checkout starts where the user stood", (t) => {
  const { checkout, user, env, folder } = createFolders(t);
  assert.equal(folderOfUser(env, checkout, checkout), user);
  assert.equal(folderOfUser({ ...env, npm_lifecycle_event: "start" }, checkout, checkout), user);
  const link = join(folder, "link");
  symlinkSync(checkout, link);
  assert.equal(folderOfUser({ ...env, npm_package_json: join(link, "package.json") }, checkout, link), user);
});

test("INIT_CWD counts nowhere else", (t) => {
  const { checkout, other, env } = createFolders(t);
  const cases: [string, NodeJS.ProcessEnv, string][] = [
    ["no npm", {}, checkout],
    ["only the folder", { INIT_CWD: env.INIT_CWD }, checkout],
    ["another script, such as npm test", { ...env, npm_lifecycle_event: "test:some" }, checkout],
    ["npx", { ...env, npm_lifecycle_event: "npx" }, checkout],
    ["a child that has gone to another folder", env, other],
    ["another package's script", { ...env, npm_package_json: join(other, "package.json") }, other],
    ["a package that is gone", { ...env, npm_package_json: join(other, "gone", "package.json") }, checkout],
    ["a relative folder", { ...env, INIT_CWD: "user" }, checkout],
  ];
  for (const [name, given, current] of cases)
    assert.equal(folderOfUser(given, current, checkout), current, name);
});

test("paths start from the folder; an absolute one and standard input stay", () => {
  assert.equal(pathFrom("/home/me", "a/b.json"), "/home/me/a/b.json");
  assert.equal(pathFrom("/home/me", "../b.json"), "/home/b.json");
  assert.equal(pathFrom("/home/me", "/etc/b.json"), "/etc/b.json");
  assert.equal(pathFrom("/home/me", "-"), "-");
});
