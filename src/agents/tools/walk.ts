// The files and folders below a folder, in order of their names. Links are named and never followed.
import type { Dirent } from "node:fs";
import { join } from "node:path";
import type { OpenFolder } from "./folder.ts";

export type Entry = {
  shown: string;
  kind: "file" | "folder" | "link" | "other";
  /** The folder it is in is open until the next entry is asked for. */
  folder: OpenFolder;
  name: string;
};

const mostInOneFolder = 10_000;

export async function* walk(
  folder: OpenFolder,
  shown: string,
  depth: number,
  signal: AbortSignal,
  skipped: ReadonlySet<string> = new Set(),
): AsyncGenerator<Entry> {
  for (const entry of await entriesOf(folder)) {
    signal.throwIfAborted();
    const { name } = entry;
    const below = join(shown, name);
    const kind = kindOf(entry);
    yield { shown: below, kind, folder, name };
    if (kind === "folder" && depth > 1 && !skipped.has(name))
      yield* walkBelow(folder, name, below, depth - 1, signal, skipped);
  }
}

/** A folder that cannot be read or was just removed is left out. */
async function* walkBelow(
  parent: OpenFolder,
  name: string,
  shown: string,
  depth: number,
  signal: AbortSignal,
  skipped: ReadonlySet<string>,
): AsyncGenerator<Entry> {
  const folder = await parent.folder(name).catch(() => null);
  if (folder === null) return;
  try {
    yield* walk(folder, shown, depth, signal, skipped);
  } catch {
    // Left out.
  } finally {
    await folder.close();
  }
}

async function entriesOf(folder: OpenFolder): Promise<Dirent[]> {
  const directory = await folder.entries();
  const entries: Dirent[] = [];
  try {
    await folder.mustBeUnmoved();
    for (
      let next = await directory.read();
      next && entries.length < mostInOneFolder;
      next = await directory.read()
    )
      entries.push(next);
  } finally {
    await directory.close();
  }
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function kindOf(entry: Dirent): Entry["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}
