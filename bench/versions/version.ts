// A version of the gateway: this checkout, a folder with another one, or a copy of a commit. The bench talks to it over
// its command line, HTTP and SQL columns alone, so that it can be of any age.
import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Lab } from "../lab.ts";

export type Version = { name: string; folder: string };

const checkout = fileURLToPath(new URL("../../", import.meta.url));

/** `given`: a commit, or the path of a folder; none: this checkout. */
export function openVersion(lab: Lab, given: string | undefined): Version {
  if (given === undefined) return { name: `this (${shortNameOf("HEAD")})`, folder: checkout };
  if (/^[./]/.test(given))
    return { name: given.split("/").findLast(Boolean) ?? given, folder: resolve(given) };
  return { name: shortNameOf(given), folder: copyOf(lab, given) };
}

const git = (...args: string[]): string =>
  execFileSync("git", ["-C", checkout, ...args], { encoding: "utf8" });

const shortNameOf = (ref: string): string => git("rev-parse", "--short", `${ref}^{commit}`).trim();

/** A copy, not a worktree: nothing of it stays in the repository when the bench is killed. */
function copyOf(lab: Lab, ref: string): string {
  const folder = join(lab.folder(), "version");
  const archive = join(lab.folder(), "version.tar");
  mkdirSync(folder);
  git("archive", "--output", archive, ref);
  execFileSync("tar", ["-xf", archive, "-C", folder]);
  symlinkSync(realpathSync(join(checkout, "node_modules")), join(folder, "node_modules"));
  return folder;
}
