// The package as it would be published: packed, put into an empty folder, used.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { loadConfig } from "../../src/config/load.ts";
import { startAgent } from "../support/mcp.ts";
import { post, until, watchProcess } from "../support/process.ts";

const checkout = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "rouse-package-"));
const application = join(folder, "application");
const installed = join(application, "node_modules", "rouse");
const command = join(application, "node_modules", ".bin", "rouse");
const home = join(folder, "home");
const env = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
  ROUSE_HOME: home,
};

before(pack);
after(() => rmSync(folder, { recursive: true, force: true }));

/** Builds and packs a copy, so that nothing is left in the checkout and other builds there are not disturbed. */
function pack(): void {
  const copy = join(folder, "checkout");
  const left = new Set(["node_modules", ".git", "dist"]);
  for (const name of readdirSync(checkout).filter((each) => !left.has(each)))
    cpSync(join(checkout, name), join(copy, name), { recursive: true });
  symlinkSync(join(checkout, "node_modules"), join(copy, "node_modules"));
  const packed = spawnSync("npm", ["pack", "--pack-destination", folder], {
    cwd: copy,
    env,
    encoding: "utf8",
  });
  assert.equal(packed.status, 0, packed.stderr + packed.stdout);
  unpack(readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "no package");
}

/** The folders that `npm install` would make, with the dependencies of the checkout instead of the registry's. */
function unpack(archive: string): void {
  mkdirSync(installed, { recursive: true });
  const taken = spawnSync("tar", ["-xzf", join(folder, archive), "--strip-components=1", "-C", installed]);
  assert.equal(taken.status, 0, String(taken.stderr));
  const lock = JSON.parse(readFileSync(join(checkout, "package-lock.json"), "utf8")) as {
    packages: Record<string, { dev?: boolean }>;
  };
  for (const [path, { dev }] of Object.entries(lock.packages)) {
    if (!dev && path !== "" && existsSync(join(checkout, path)))
      cpSync(join(checkout, path), join(application, path), { recursive: true });
  }
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    bin: { rouse: string };
  };
  mkdirSync(dirname(command), { recursive: true });
  symlinkSync(join("..", "rouse", manifest.bin.rouse), command);
}

const run = (...args: string[]) =>
  spawnSync(process.execPath, [command, ...args], { cwd: application, env, encoding: "utf8" });

test("the package has the files it needs and no others", () => {
  assert.deepEqual(readdirSync(installed).toSorted(), [
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "bin",
    "deploy",
    "dist",
    "docs",
    "examples",
    "package.json",
    "schema",
  ]);
  const isExample = (name: string) =>
    /^(?:examples|examples\/senders|deploy)\/[a-z]+\/rouse\.jsonc$/.test(name);
  const files = readdirSync(installed, { recursive: true, encoding: "utf8" }).filter(
    (name) => !isExample(name),
  );
  assert.deepEqual(
    files.filter((name) => /\.(test|contract|fixture)\.|(^|\/)fixture\.|\.db$|\.jsonc$/.test(name)),
    [],
  );
});

test("its command is executable and explains itself", () => {
  const direct = spawnSync(command, ["--help"], { env, encoding: "utf8" });
  assert.equal(direct.status, 0, direct.stderr);
  assert.match(direct.stdout, /^Usage: rouse COMMAND/);
  const { version } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")) as { version: string };
  assert.match(run("--version").stdout, new RegExp(`^(rouse )?${version.replaceAll(".", "\\.")}$`, "m"));
});

test("init, serve, and one real request", async (context) => {
  const made = run("init");
  assert.equal(made.status, 0, made.stderr);
  const loaded = loadConfig(join(home, "rouse.jsonc"), {});
  assert.ok(loaded.ok);
  const token = loaded.config.hooks.tokens[0] ?? "";
  const gateway = watchProcess(
    spawn(process.execPath, [command, "serve", "--port", "0"], {
      cwd: application,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );
  context.after(() => gateway.kill());
  const url = await gateway.ready;
  const body = JSON.stringify({ message: "hello from the package", deliver: false });
  const reply = await post({ url, hook: "agent", token, body });
  assert.equal(reply.status, 202, JSON.stringify(reply.body));
  const shown = await until("the run ends", () => {
    const listed = run("runs", "--json");
    assert.equal(listed.status, 0, listed.stderr);
    const [first] = JSON.parse(listed.stdout) as { id: string; status: string; reply: string }[];
    return first?.status === "succeeded" && first;
  });
  assert.equal(shown.id, reply.body["runId"]);
  assert.match(shown.reply, /hello from the package/);
  const gatewayToken = loaded.config.gateway.auth.token ?? "";
  const agent = await startAgent(context, {
    program: command,
    args: ["--url", url],
    env: { ROUSE_GATEWAY_TOKEN: gatewayToken },
    secrets: [token, gatewayToken],
  });
  assert.match((await agent.ok("show_run", { id: shown.id })).text, /hello from the package/);
  await agent.close();
  assert.deepEqual(await gateway.stop(), { code: 0, signal: null });
});

const shout = `import { type Transform } from "rouse/transform";
const shout: Transform = ({ payload }) => ({ message: payload.word.toUpperCase() });
export default shout;`;

const runShout = `import { openTransforms } from "./node_modules/rouse/dist/transforms/pool.js";
const reference = { module: "shout.ts", export: null };
const opened = await openTransforms({ transformsDir: "transforms", references: [reference], timeoutMs: 60_000 });
if (!opened.ok) throw new Error(JSON.stringify(opened.faults));
const input = { payload: { word: "hello" }, headers: {}, query: {}, path: "/", name: "x" };
console.log(JSON.stringify(await opened.transforms.run(reference, [{ input, action: { action: "agent" } }])));
await opened.transforms.close();`;

test("a transform runs in a thread of the compiled package, and finds its types", () => {
  mkdirSync(join(application, "transforms"));
  writeFileSync(join(application, "transforms", "shout.ts"), shout);
  writeFileSync(join(application, "run.mjs"), runShout);
  const node = (...args: string[]) =>
    spawnSync(process.execPath, args, { cwd: application, env, encoding: "utf8" });
  const ran = node("run.mjs");
  assert.equal(ran.stdout, '[{"kind":"changed","value":{"message":"HELLO"}}]\n', ran.stderr);
  const compiler = fileURLToPath(new URL("bin/tsc", import.meta.resolve("typescript/package.json")));
  const checked = node(compiler, "--noEmit", "--strict", "--module", "nodenext", "transforms/shout.ts");
  assert.equal(checked.status, 0, checked.stdout + checked.stderr);
});

/** Real old versions that are on the path, and this one with an old version's number. */
function oldNodes(): string[][] {
  const claim = "Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.1.0'}})";
  const onPath = (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((each) => join(each, "node"))
    .filter((file) => !file.includes("node_modules") && existsSync(file));
  const old = onPath.filter((file) => {
    const { stdout } = spawnSync(file, ["--version"], { encoding: "utf8" });
    return Number(/^v(\d+)/.exec(stdout)?.[1]) < 24;
  });
  return [[process.execPath, "--import", `data:text/javascript,${claim}`], ...old.map((file) => [file])];
}

test("on an old Node it prints one line and exits 1", () => {
  for (const [file = "", ...args] of oldNodes()) {
    const { status, stdout, stderr } = spawnSync(file, [...args, command, "serve"], {
      env,
      encoding: "utf8",
    });
    assert.equal(status, 1, `${basename(file)}: ${stderr}`);
    assert.equal(stdout, "");
    assert.match(stderr, /^rouse needs Node\.js 24 or newer; this is \d+\.\d+\.\d+\.[^\n]*\n$/);
  }
});
