// bin/rouse.mjs as a process of its own.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { createFolder, createStoredHome } from "../../test/fixtures/command-line.ts";
import { anAcceptance, anEvent } from "../../test/builders/acceptance.ts";

const bin = fileURLToPath(new URL("../../bin/rouse.mjs", import.meta.url));
const environment = (folder: string) => ({ ...process.env, ROUSE_HOME: folder, ROUSE_DEBUG: "" });

const rouse = (folder: string, ...argv: string[]) =>
  spawnSync(process.execPath, [bin, ...argv], { env: environment(folder), encoding: "utf8" });

test("exit codes and streams", (t) => {
  const { folder } = createFolder(t);
  const help = rouse(folder, "--help");
  assert.equal(help.status, 0);
  assert.equal(help.stderr, "");
  const unknown = rouse(folder, "chekc");
  assert.equal(unknown.status, 2);
  assert.match(unknown.stderr, /rouse check/);
  const usage = rouse(folder, "runs", "--nope");
  assert.equal(usage.status, 2);
  assert.match(usage.stderr, /^Usage: rouse runs/m);
  assert.equal(rouse(folder, "check").status, 1);
  assert.equal(rouse(folder, "init").status, 0);
  const checked = rouse(folder, "check");
  assert.equal(checked.status, 0);
  assert.equal(checked.stderr, "");
});

test("a closed output pipe ends the command without an error", async (t) => {
  const { folder, store } = await createStoredHome(t);
  const events = Array.from({ length: 20 }, () => anEvent("x".repeat(20_000)));
  await store.accept(anAcceptance({ hook: "wake", events }));
  const child = spawn(process.execPath, [bin, "events", "--json"], { env: environment(folder) });
  let complaint = "";
  child.stderr.on("data", (chunk: Buffer) => void (complaint += chunk.toString()));
  child.stdout.once("data", () => child.stdout.destroy());
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  assert.equal(code, 0, complaint);
  assert.equal(complaint, "");
});

test("zod's messages in other languages are not loaded", (t) => {
  const { folder } = createFolder(t);
  const code = `
    await import(${JSON.stringify(bin)});
    await new Promise((resolve) => process.stdout.write("", resolve));
    const { z } = await import("zod");
    process.stdout.write(Object.keys(z.locales).join());`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "--eval", code, "--", "help", "check"],
    { cwd: fileURLToPath(new URL("../..", import.meta.url)), env: environment(folder), encoding: "utf8" },
  );
  assert.ok(stdout.endsWith("en"), stdout + stderr);
  assert.doesNotMatch(stdout, /,en|en,/);
});

test("through npm run, relative paths start where the user stands, and the error names the path that was tried", (t) => {
  const { folder } = createFolder(t);
  writeFileSync(join(folder, "ping.json"), '{"message":"hello"}');
  const checkout = fileURLToPath(new URL("../..", import.meta.url));
  const env: NodeJS.ProcessEnv = environment(folder);
  delete env["INIT_CWD"];
  const throughNpm = (...argv: string[]) =>
    spawnSync("npm", ["--prefix", checkout, "run", "-s", "rouse", "--", ...argv], {
      cwd: folder,
      env,
      encoding: "utf8",
    });
  assert.equal(throughNpm("init", "--config", "home/rouse.jsonc").status, 0);
  assert.ok(existsSync(join(folder, "home", "rouse.jsonc")));
  const explained = throughNpm("explain", "agent", "--payload", "ping.json", "--config=home/rouse.jsonc");
  assert.equal(explained.status, 0, explained.stderr);
  const missing = throughNpm("explain", "agent", "--payload", "pong.json", "--config", "home/rouse.jsonc");
  assert.equal(missing.status, 1);
  assert.equal(
    missing.stderr,
    `The file ${join(folder, "pong.json")} cannot be read: it is not there (ENOENT).\n`,
  );
});

test("what npm left in the environment does not move a command that npm did not start", (t) => {
  const { folder } = createFolder(t);
  const checkout = fileURLToPath(new URL("../..", import.meta.url));
  const leaked = {
    INIT_CWD: checkout,
    npm_lifecycle_event: "start",
    npm_package_json: join(checkout, "package.json"),
  };
  const { status, stderr } = spawnSync(process.execPath, [bin, "check", "--config", "gone.jsonc"], {
    cwd: folder,
    env: { ...environment(folder), ...leaked },
    encoding: "utf8",
  });
  assert.equal(status, 1);
  assert.match(stderr, new RegExp(`no config at ${join(folder, "gone.jsonc")}`));
});
