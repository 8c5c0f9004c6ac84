// The code of an older commit, in a folder of its own and ready to run.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const checkout = fileURLToPath(new URL("../..", import.meta.url));
const migrations = "src/store/migrations";
const isMigration = (name: string): boolean => /(^|\/)\d{3}-[^/]*\.ts$/.test(name);

const git = (...args: string[]): string =>
  execFileSync("git", args, { cwd: checkout, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });

export const resolveCommit = (ref: string): string => git("rev-parse", "--verify", `${ref}^{commit}`).trim();

export const schemaVersion = (commit: string): number =>
  git("ls-tree", "--name-only", commit, `${migrations}/`).split("\n").filter(isMigration).length;

export const ownSchemaVersion = (): number =>
  readdirSync(join(checkout, migrations)).filter(isMigration).length;

/** The newest commit of the history whose schema is one version older than ours. */
export function commitBeforeMigration(): string {
  const wanted = ownSchemaVersion() - 1;
  const found = git("rev-list", "HEAD")
    .split("\n")
    .find((commit) => commit !== "" && schemaVersion(commit) === wanted);
  if (found === undefined)
    throw new Error(`no commit has version ${wanted} of the schema; is this a shallow clone? Say --from REF`);
  return found;
}

/** Returns the folder. */
export function unpack(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), "rouse-old-"));
  const archive = execFileSync("git", ["archive", "--format=tar", commit], {
    cwd: checkout,
    maxBuffer: 256 * 1024 * 1024,
  });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  if (isSatisfied(folder)) symlinkSync(join(checkout, "node_modules"), join(folder, "node_modules"));
  else install(folder);
  return folder;
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
