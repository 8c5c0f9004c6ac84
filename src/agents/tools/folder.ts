// Opens folders of the workspace and files in them. A folder is opened once, and what is done in it goes by its open
// handle: swapping a part of its path for a link leads nowhere. Where the system has no paths for open folders, the
// path is used, and checked afterwards.
import { constants, type Dir, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, opendir, readlink, realpath, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf } from "../../core/errors.ts";
import { Refusal } from "./fault.ts";
import { quoted, type ResolvedPath } from "./path.ts";

export type OpenFolder = {
  /** Of an entry: through the open folder, where the system has that. */
  path(name: string): string;
  lstat(name: string): Promise<Stats>;
  /** Null when the entry is no folder. Links are not followed. */
  folder(name: string): Promise<OpenFolder | null>;
  entries(): Promise<Dir>;
  /** Refuses when the folder is no longer where it was opened: it may be out of the workspace. */
  mustBeUnmoved(): Promise<void>;
  close(): Promise<void>;
};

type Found = Pick<ResolvedPath, "real" | "shown">;

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** Null when there is no folder at this real path. */
export const openFolder = (real: string): Promise<OpenFolder | null> => openAt(real, real);

async function openAt(path: string, real: string): Promise<OpenFolder | null> {
  const handle = await openDirectory(path);
  if (handle === null) return null;
  try {
    const folder = await openedAs(handle, real);
    await folder.mustBeUnmoved();
    return folder;
  } catch (fault) {
    await handle.close();
    throw fault;
  }
}

async function openDirectory(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
  } catch (fault) {
    if (codeOf(fault) === "ENOTDIR") return null;
    throw fault;
  }
}

async function openedAs(handle: FileHandle, real: string): Promise<OpenFolder> {
  const link = `/proc/self/fd/${handle.fd}`;
  const whereIsIt = (): Promise<string | null> => readlink(link).catch(() => null);
  const hasLink = (await whereIsIt()) !== null;
  const path = (name: string): string => join(hasLink ? link : real, name);
  const mustBeUnmoved = async (): Promise<void> => {
    if (hasLink ? (await whereIsIt()) !== real : !(await isStillAt(handle, real))) throw moved();
  };
  return {
    path,
    async lstat(name) {
      const found = await lstat(path(name));
      await mustBeUnmoved();
      return found;
    },
    folder: (name) => openAt(path(name), join(real, name)),
    entries: () => opendir(hasLink ? link : real),
    mustBeUnmoved,
    close: () => handle.close(),
  };
}

async function isStillAt(handle: FileHandle, real: string): Promise<boolean> {
  const [opened, there] = await Promise.all([handle.stat({ bigint: true }), lstat(real, { bigint: true })]);
  return opened.ino === there.ino && opened.dev === there.dev && (await realpath(real)) === real;
}

const moved = (): Refusal => new Refusal("It was changed by something else at the same moment. Try again.");

/** The folder that a file is in. */
export async function openFolderOf(root: string, { real, shown }: Found): Promise<OpenFolder> {
  const folder = real === root ? null : await openFolder(dirname(real));
  if (folder === null) throw new Refusal(`${quoted(shown)} is not a file.`);
  return folder;
}

/** Opens a plain file and nothing else: opening a pipe would wait, and opening a device could have an effect. */
export async function openToRead(folder: OpenFolder, name: string, shown: string): Promise<FileHandle> {
  const found = await folder.lstat(name);
  if (found.isDirectory()) throw new Refusal(`${quoted(shown)} is a folder. Use the list tool.`);
  if (!found.isFile()) throw new Refusal(`${quoted(shown)} is not a plain file.`);
  return openFile(folder, name, O_RDONLY | O_NONBLOCK);
}

/** Fails if what was opened is not the plain file that has this name in the folder. */
export async function openFile(folder: OpenFolder, name: string, flags: number): Promise<FileHandle> {
  const handle = await open(folder.path(name), flags | O_NOFOLLOW);
  try {
    const opened = await handle.stat({ bigint: true });
    const there = await lstat(folder.path(name), { bigint: true });
    await folder.mustBeUnmoved();
    if (!opened.isFile() || opened.ino !== there.ino || opened.dev !== there.dev) throw moved();
    return handle;
  } catch (fault) {
    await handle.close();
    throw fault;
  }
}

/** Makes a folder in another one. Without a path through the open folder it may be made elsewhere: it is removed then. */
export async function makeFolder(parent: OpenFolder, name: string): Promise<OpenFolder> {
  const path = parent.path(name);
  await mkdir(path);
  try {
    await parent.mustBeUnmoved();
    const made = await parent.folder(name);
    if (made === null) throw moved();
    return made;
  } catch (fault) {
    await rmdir(path).catch(() => {});
    throw fault;
  }
}
