// The write tool: a whole text file, replaced in one step, so that no reader sees half of it.
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { lstat, mkdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../../core/errors.ts";
import { Refusal } from "./fault.ts";
import { resolvePath, mustBeUnmoved, openExactly, type ResolvedPath, quoted } from "./path.ts";

export const largestWritten = 1_000_000;

export async function writeFile(
  root: string,
  { path, content }: { path: string; content: string },
  signal: AbortSignal,
): Promise<string> {
  const bytes = Buffer.from(content);
  if (bytes.length > largestWritten)
    throw new Refusal(`The content has ${bytes.length} bytes; at most ${largestWritten} can be written.`);
  const found = await resolvePath(root, path);
  const replaced = found.missing.length === 0 ? await fileThere(found) : null;
  const folder = replaced ? dirname(found.real) : await makeFolders(found);
  const target = join(folder, found.missing.at(-1) ?? basename(found.real));
  await replace(target, bytes, replaced, signal);
  return `${quoted(found.shown)} was ${replaced ? "replaced" : "created"}: ${bytes.length} bytes.`;
}

async function fileThere({ real, shown }: ResolvedPath): Promise<{ mode: number }> {
  const found = await lstat(real);
  if (found.isDirectory()) throw new Refusal(`${quoted(shown)} is a folder. Name a file in it.`);
  if (!found.isFile()) throw new Refusal(`${quoted(shown)} is not a plain file.`);
  if ((found.mode & 0o222) === 0) throw new Refusal(`${quoted(shown)} is read-only. Leave it as it is.`);
  return { mode: found.mode & 0o777 };
}

/** One at a time: making all at once would follow a link that appears meanwhile. */
async function makeFolders({ real, missing, shown }: ResolvedPath): Promise<string> {
  let folder = real;
  for (const name of missing.slice(0, -1)) {
    folder = join(folder, name);
    await mkdir(folder).catch((fault: unknown) => {
      throw new Refusal(`The folder of ${quoted(shown)} could not be made: ${codeOf(fault)}.`);
    });
    await mustBeUnmoved(folder);
  }
  return folder;
}

async function replace(
  target: string,
  bytes: Buffer,
  replaced: { mode: number } | null,
  signal: AbortSignal,
): Promise<void> {
  const folder = dirname(target);
  const beside = join(folder, `.rouse-${randomBytes(8).toString("hex")}.tmp`);
  const { O_CREAT, O_EXCL, O_WRONLY } = constants;
  try {
    const handle = await openExactly(beside, O_CREAT | O_EXCL | O_WRONLY);
    try {
      if (replaced) await handle.chmod(replaced.mode);
      await handle.writeFile(bytes);
    } finally {
      await handle.close();
    }
    await mustBeUnmoved(folder);
    signal.throwIfAborted();
    await rename(beside, target);
  } catch (fault) {
    await rm(beside, { force: true }).catch(() => {});
    throw fault;
  }
}
