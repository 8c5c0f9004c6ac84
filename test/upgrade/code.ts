// The two versions of an upgrade: this checkout, and either one that comes after it or one that came before.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeFolder } from "../support/folder.ts";
import type { LaunchOptions } from "../support/process.ts";
import type { Lab } from "../system/lab.ts";

export type Code = { schema: number; launch(lab: Lab): Partial<LaunchOptions> };

const checkout = fileURLToPath(new URL("../..", import.meta.url));
const migrations = "src/store/migrations";
const isMigration = (name: string): boolean => /(^|\/)\d{3}-[^/]*\.ts$/.test(name);

export const ownCode: Code = {
  schema: readdirSync(join(checkout, migrations)).filter(isMigration).length,
  launch: () => ({}),
};

const programIn = (folder: string): string => join(folder, "bin", "rouse.mjs");
const linkPackages = (folder: string): void =>
  symlinkSync(join(checkout, "node_modules"), join(folder, "node_modules"));

/** A typical release: it adds columns to tables in use, an index, and a table. */
const nextMigration = `export const addNext = () => [
  "alter table run add column next_note text",
  "create index run_next on run(next_note) where next_note is not null",
  "alter table event add column next_rank integer not null default 0",
  "create table next_thing(id text primary key, note text not null)",
];
`;

/** This checkout with one migration more. */
export function nextCode(): Code {
  const folder = makeFolder("version");
  for (const name of ["bin", "src", "package.json"])
    cpSync(join(checkout, name), join(folder, name), { recursive: true });
  linkPackages(folder);
  writeFileSync(join(folder, migrations, "next.ts"), nextMigration);
  const file = join(folder, migrations, "migrate.ts");
  const known = readFileSync(file, "utf8");
  const list = /^const migrations[^\n]*= \[\n[^\]]*(?=^\];)/m;
  if (!list.test(known)) throw new Error(`${migrations}/migrate.ts has no list of migrations`);
  const changed = known.replace(list, (all) => `${all}  addNext,\n`);
  writeFileSync(file, `import { addNext } from "./next.ts";\n${changed}`);
  return { schema: ownCode.schema + 1, launch: () => ({ program: programIn(folder) }) };
}

const git = (...args: string[]): string =>
  execFileSync("git", args, { cwd: checkout, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });

export const isCommit = (ref: string): boolean =>
  spawnSync("git", ["rev-parse", "--quiet", "--verify", `${ref}^{commit}`], { cwd: checkout }).status === 0;

/** The code of an older commit. */
export function codeOf(ref: string): Code {
  const commit = git("rev-parse", "--verify", `${ref}^{commit}`).trim();
  const names = git("ls-tree", "--name-only", commit, `${migrations}/`).split("\n");
  const folder = makeFolder("version");
  const archive = execFileSync("git", ["archive", "--format=tar", commit], {
    cwd: checkout,
    maxBuffer: 256 * 1024 * 1024,
  });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  if (isSatisfied(folder)) linkPackages(folder);
  else install(folder);
  const program = programIn(folder);
  return {
    schema: names.filter(isMigration).length,
    launch: (lab) => ({ program, config: configFor(lab, program) }),
  };
}

type Lock = { packages: Record<string, { version?: string; dev?: boolean; optional?: boolean }> };

/** Whether our own node_modules has every package that the old code runs with, in its version. */
function isSatisfied(folder: string): boolean {
  const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as Lock;
  return Object.entries(lock.packages).every(([path, { version, dev, optional }]) => {
    if (path === "" || dev || optional) return true;
    const file = join(checkout, path, "package.json");
    return (
      existsSync(file) && (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version === version
    );
  });
}

function install(folder: string): void {
  const { status } = spawnSync("npm", ["ci", "--omit=dev", "--no-audit", "--no-fund"], {
    cwd: folder,
    stdio: "inherit",
    timeout: 300_000,
  });
  if (status !== 0) throw new Error("npm ci failed for the old code");
}

/** The settings without those that the old code does not know. */
function configFor(lab: Lab, program: string): string {
  const file = join(lab.folder, "old.jsonc");
  const copy = (hooks: object): void =>
    writeFileSync(file, JSON.stringify({ ...lab.settings(), hooks: { ...lab.settings().hooks, ...hooks } }), {
      mode: 0o600,
    });
  copy({});
  const check = () => spawnSync(process.execPath, [program, "check", "--config", file], { encoding: "utf8" });
  if (check().status === 0) return file;
  copy({ budget: undefined });
  const { status, stderr, stdout } = check();
  if (status !== 0) throw new Error(`the old code does not take the configuration:\n${stdout}${stderr}`);
  return file;
}

/** A node of the old version that starts on the new schema must say that it is too old, and change nothing. */
export async function lateStartFaults(lab: Lab, old: Code, schema: number): Promise<string[]> {
  const late = lab.launch(old.launch(lab));
  const { code } = await late.exited;
  const says = `The store has version ${schema}, this Rouse knows up to ${old.schema}.`;
  return code === 1 && late.output().includes(says)
    ? []
    : [`an old node that starts on the new schema ended with ${code}: ${late.output()}`];
}
