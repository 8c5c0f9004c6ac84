// Resolves paths: links are followed as long as they stay in the workspace. A folder can be swapped for a link at any
// moment after that, so `folder.ts` opens what was resolved.
import { realpath } from "node:fs/promises";
import { basename, dirname, join, posix, sep } from "node:path";
import { codeOf } from "../../core/errors.ts";
import { Refusal } from "./fault.ts";

export type ResolvedPath = {
  /** Relative to the workspace, as a model may write it. */
  shown: string;
  /** The real path of the part that exists. */
  real: string;
  /** Names below `real` that do not exist yet. */
  missing: readonly string[];
};

const longestPath = 1000;

/** Without `.` and `..`, relative to the workspace; "" is the workspace itself. */
export function relativePath(written: string): string {
  const refuse = (why: string) =>
    new Refusal(`The path ${why}. Give a path relative to the workspace, such as notes/today.md.`);
  if (written.length > longestPath) throw refuse(`is longer than ${longestPath} characters`);
  if (/\p{Cc}/u.test(written)) throw refuse("has a control character in it");
  if (written.includes("\\")) throw refuse("has a backslash in it; folders are separated by /");
  if (written.startsWith("/") || /^[a-z]:/i.test(written)) throw refuse("is absolute");
  const path = posix.normalize(written).replace(/\/$/, "");
  if (path === ".." || path.startsWith("../")) throw refuse("leads out of the workspace");
  return path === "." ? "" : path;
}

/** `root` is the workspace's real path. */
export async function resolvePath(root: string, written: string): Promise<ResolvedPath> {
  const shown = relativePath(written);
  const missing: string[] = [];
  for (let at = join(root, shown); ; at = dirname(at)) {
    const real = await realpath(at).catch((fault: unknown) => {
      const code = codeOf(fault);
      if ((code === "ENOENT" || code === "ENOTDIR") && at !== root) return null;
      throw new Refusal(`${quoted(shown)} cannot be used: ${code}.`);
    });
    if (real === null) missing.unshift(basename(at));
    else if (isInside(root, real)) return { shown, real, missing };
    else throw new Refusal(`${quoted(shown)} leads out of the workspace. Only what is in it can be used.`);
  }
}

export async function findExisting(root: string, written: string): Promise<ResolvedPath> {
  const found = await resolvePath(root, written);
  if (found.missing.length === 0) return found;
  throw new Refusal(`${quoted(found.shown)} does not exist. Use the list tool to see what does.`);
}

const isInside = (root: string, real: string): boolean =>
  real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);

export const quoted = (shown: string): string => (shown === "" ? "The workspace" : JSON.stringify(shown));
