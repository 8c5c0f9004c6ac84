// The write tool: a whole text file, replaced in one step, so that no reader sees half of it.
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { basename } from "node:path";
import { codeOf } from "../../core/errors.ts";
import { Refusal } from "./fault.ts";
import { makeFolder, openFile, openFolder, openFolderOf, type OpenFolder } from "./folder.ts";
import { quoted, resolvePath, type ResolvedPath } from "./path.ts";

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
  if (found.missing.length === 0 && found.real === root) throw isFolder(found);
  const folder = await (found.missing.length === 0 ? openFolderOf(root, found) : makeFolders(found));
  try {
    const name = found.missing.at(-1) ?? basename(found.real);
    const replaced = found.missing.length === 0 ? await fileThere(folder, name, found) : null;
    await replace(folder, name, bytes, replaced, signal);
    return `${quoted(found.shown)} was ${replaced ? "replaced" : "created"}: ${bytes.length} bytes.`;
  } finally {
    await folder.close();
  }
}

const isFolder = ({ shown }: ResolvedPath): Refusal =>
  new Refusal(`${quoted(shown)} is a folder. Name a file in it.`);

async function fileThere(folder: OpenFolder, name: string, path: ResolvedPath): Promise<{ mode: number }> {
  const found = await folder.lstat(name);
  const shown = quoted(path.shown);
  if (found.isDirectory()) throw isFolder(path);
  if (!found.isFile()) throw new Refusal(`${shown} is not a plain file.`);
  if ((found.mode & 0o222) === 0) throw new Refusal(`${shown} is read-only. Leave it as it is.`);
  return { mode: found.mode & 0o777 };
}

/** One at a time: making all at once would follow a link that appears meanwhile. */
async function makeFolders({ real, missing, shown }: ResolvedPath): Promise<OpenFolder> {
  const refuse = (code: string): Refusal =>
    new Refusal(`The folder of ${quoted(shown)} could not be made: ${code}.`);
  let folder = await openFolder(real);
  if (folder === null) throw refuse("ENOTDIR");
  for (const name of missing.slice(0, -1)) {
    const parent: OpenFolder = folder;
    try {
      folder = await makeFolder(parent, name);
    } catch (fault) {
      throw fault instanceof Refusal ? fault : refuse(codeOf(fault));
    } finally {
      await parent.close();
    }
  }
  return folder;
}

async function replace(
  folder: OpenFolder,
  name: string,
  bytes: Buffer,
  replaced: { mode: number } | null,
  signal: AbortSignal,
): Promise<void> {
  const beside = `.rouse-${randomBytes(8).toString("hex")}.tmp`;
  const { O_CREAT, O_EXCL, O_WRONLY } = constants;
  try {
    const handle = await openFile(folder, beside, O_CREAT | O_EXCL | O_WRONLY);
    try {
      if (replaced) await handle.chmod(replaced.mode);
      await handle.writeFile(bytes);
    } finally {
      await handle.close();
    }
    await folder.mustBeUnmoved();
    signal.throwIfAborted();
    await rename(folder.path(beside), folder.path(name));
  } catch (fault) {
    await rm(folder.path(beside), { force: true }).catch(() => {});
    throw fault;
  }
}
