// The files of deploy/ that start Rouse as a service, and docs/install.md, which says how. The files are read here; the
// tools of systemd and of macOS check them, too, where they are installed.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { loadConfig } from "../src/config/load.ts";
import { commandFaults, commandsIn } from "./support/commands.ts";
import { makeFolder } from "./support/folder.ts";
import { readUnit } from "./support/unit.ts";
import { plistValue, readXml } from "./support/xml.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const page = read("docs/install.md");
const unitText = read("deploy/systemd/rouse.service");
const plistFile = "deploy/launchd/rouse.gateway.plist";

const prefix = "/opt/rouse";
const home = "/var/lib/rouse";

function drainSeconds(): number {
  const folder = makeFolder("deploy");
  const file = join(folder, "rouse.jsonc");
  writeFileSync(file, "{}", { mode: 0o600 });
  const loaded = loadConfig(file, {});
  rmSync(folder, { recursive: true });
  assert.ok(loaded.ok);
  return loaded.config.gateway.drainSeconds;
}

test("the unit runs the package of the page, as its user, in its home", () => {
  const unit = readUnit(unitText);
  assert.deepEqual([...unit.keys()], ["Unit", "Service", "Install"]);
  const service = unit.get("Service") ?? new Map<string, string[]>();
  const one = (name: string) => {
    assert.equal(service.get(name)?.length, 1, name);
    return service.get(name)?.[0] ?? "";
  };
  assert.equal(one("ExecStart"), `${prefix}/bin/rouse serve`);
  assert.deepEqual([one("User"), one("Group"), one("StateDirectory")], ["rouse", "rouse", "rouse"]);
  assert.equal(one("WorkingDirectory"), home);
  const environment = service.get("Environment")?.join(" ") ?? "";
  assert.match(environment, new RegExp(`ROUSE_HOME=${home} HOME=${home}$`));
  assert.ok(page.includes(/PATH=\S+/.exec(environment)?.[0] ?? "no PATH"));
  assert.deepEqual(unit.get("Unit")?.get("AssertPathExists"), [`${home}/rouse.jsonc`]);
  assert.ok(Number(one("TimeoutStopSec")) > drainSeconds());
  assert.ok(page.includes(`npm install --global --prefix ${prefix} ./rouse-`));
  assert.match(page, new RegExp(`^useradd .*--home-dir ${home} .* rouse$`, "m"));
  assert.match(page, new RegExp(`^install -d -o rouse -g rouse -m 0700 ${home}$`, "m"));
});

test("the unit protects the machine, and leaves agents what they need", () => {
  const service = readUnit(unitText).get("Service") ?? new Map<string, string[]>();
  for (const name of ["NoNewPrivileges", "ProtectHome", "PrivateTmp", "PrivateUsers", "RestrictNamespaces"])
    assert.deepEqual(service.get(name), ["yes"], name);
  assert.deepEqual(service.get("CapabilityBoundingSet"), [""]);
  assert.deepEqual(service.get("ProtectSystem"), ["strict"]);
  assert.deepEqual(service.get("OOMPolicy"), ["continue"]);
  // V8 makes machine code, Node.js reads /proc/cpuinfo, tools keep the owners of files, Codex gives up rights by Landlock.
  assert.equal(service.get("MemoryDenyWriteExecute"), undefined);
  assert.equal(service.get("ProcSubset"), undefined);
  const filter = (service.get("SystemCallFilter") ?? []).join(" ");
  assert.doesNotMatch(filter, /~/);
  assert.match(filter, /@system-service .*landlock_restrict_self/);
});

test("a unit that cannot be read is a fault", () => {
  for (const text of ["[Unit]\nfoo", "After=x", "[A]\n[A]", "[A]\nUser=x ", "[A]\nuser=x"])
    assert.throws(() => readUnit(text), /line \d/, text);
  assert.deepEqual(readUnit("[A]\n# x\nB=1\nB=2").get("A")?.get("B"), ["1", "2"]);
});

test("systemd accepts the unit, where it is installed", (t) => {
  if (spawnSync("systemd-analyze", ["--version"]).status !== 0) {
    t.diagnostic("systemd-analyze is not installed: the unit was read, not verified");
    return;
  }
  const folder = makeFolder("unit");
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const verify = (text: string) => {
    const file = join(folder, "rouse.service");
    writeFileSync(file, text);
    return spawnSync("systemd-analyze", ["verify", "--man=no", file], { encoding: "utf8" }).stderr;
  };
  // The package need not be installed here.
  const runnable = unitText.replace(/^ExecStart=.*$/m, "ExecStart=/bin/sh");
  assert.equal(verify(runnable), "");
  assert.match(verify(runnable.replace("ProtectSystem=strict", "ProtectSystm=strict")), /ProtectSystm/);
});

test("the property list of launchd is one, and starts the package of the page", (t) => {
  const element = readXml(read(plistFile));
  assert.equal(element.name, "plist");
  assert.equal(element.children.length, 1);
  const list = plistValue(element.children[0] ?? element) as {
    Label: string;
    ProgramArguments: string[];
    EnvironmentVariables: { PATH: string };
    KeepAlive: boolean;
    ExitTimeOut: number;
  };
  assert.ok(plistFile.endsWith(`/${list.Label}.plist`));
  const [shell, option, script = ""] = list.ProgramArguments;
  assert.deepEqual([shell, option], ["/bin/sh", "-c"]);
  assert.ok(script.includes(`exec ${prefix}/bin/rouse serve >>"$HOME/Library/Logs/rouse.log" 2>&1`), script);
  assert.equal(spawnSync("/bin/sh", ["-n", "-c", script]).status, 0);
  assert.ok(list.EnvironmentVariables.PATH.startsWith(`${prefix}/bin:`));
  assert.equal(list.KeepAlive, true);
  assert.ok(list.ExitTimeOut > drainSeconds());
  const lint = spawnSync("plutil", ["-lint", join(root, plistFile)], { encoding: "utf8" });
  if (lint.error) t.diagnostic("plutil is not installed: the property list was read, not linted");
  else assert.equal(lint.status, 0, lint.stdout);
});

test("the task of Windows is XML, without a time limit, and starts the package of the page", () => {
  const task = readXml(read("deploy/windows/rouse.xml"));
  const find = (...path: string[]) =>
    path.reduce(
      (at, name) => at?.children.find((each) => each.name === name),
      task as typeof task | undefined,
    )?.text;
  assert.match(task.attributes, /xmlns="http:\/\/schemas\.microsoft\.com\/windows\/2004\/02\/mit\/task"/);
  assert.equal(find("Settings", "ExecutionTimeLimit"), "PT0S");
  assert.equal(find("Settings", "MultipleInstancesPolicy"), "IgnoreNew");
  const user = find("Principals", "Principal", "UserId") ?? "no user";
  assert.ok(page.includes(`*${user}:(OI)(CI)F`));
  const written = find("Actions", "Exec", "Arguments") ?? "";
  const [, program = "", config = ""] = /^"(.+?)" serve --config "(.+?)"$/.exec(written) ?? [];
  assert.equal(program, String.raw`C:\Rouse\node_modules\rouse\bin\rouse.mjs`);
  assert.ok(page.includes(String.raw`--prefix C:\Rouse `) && page.includes(`init --config ${config}`));
});

test("XML of the wrong form is a fault", () => {
  for (const text of [
    "<a>",
    "<a></b>",
    "<a/><b/>",
    "x<a/>",
    "<a b=c/>",
    "<a>&x;</a>",
    "<!-- -- --><a/>",
    "<a",
  ])
    assert.throws(() => readXml(text), Error, text);
  assert.throws(() => plistValue(readXml("<dict><key>a</key></dict>")), /cannot be read/);
  assert.throws(
    () => plistValue(readXml("<dict><key>a</key><true/><key>a</key><true/></dict>")),
    /written twice/,
  );
});

test("the commands and files of the page exist", async () => {
  const commands = commandsIn(page);
  assert.ok(commands.length >= 5);
  for (const words of commands) assert.deepEqual(await commandFaults(words, root), [], words.join(" "));
  const files = [...page.matchAll(/node_modules[/\\]rouse[/\\](deploy[\w./\\-]+)/g)].map(
    ([, file = ""]) => file,
  );
  assert.ok(files.length >= 3);
  for (const file of files) assert.ok(existsSync(join(root, file.replaceAll("\\", "/"))), file);
  const { version } = JSON.parse(read("package.json")) as { version: string };
  for (const [, named] of page.matchAll(/rouse-(\d+\.\d+\.\d+)\.tgz/g)) assert.equal(named, version);
});
