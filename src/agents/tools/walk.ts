// The files and folders below a folder, in order of their names. Links are named and never followed.
import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { mustBeUnmoved, type ResolvedPath } from "./path.ts";

export type Entry = { shown: string; real: string; kind: "file" | "folder" | "link" | "other" };

const mostInOneFolder = 10_000;

export async function* walk(
  from: Pick<ResolvedPath, "shown" | "real">,
  depth: number,
  signal: AbortSignal,
  skipped: ReadonlySet<string> = new Set(),
): AsyncGenerator<Entry> {
  for (const entry of await entriesOf(from)) {
    signal.throwIfAborted();
    yield entry;
    if (entry.kind !== "folder" || depth <= 1 || skipped.has(entry.shown.split("/").at(-1) ?? "")) continue;
    try {
      yield* walk(entry, depth - 1, signal, skipped);
    } catch {
      // A folder that cannot be read or was just removed is left out.
    }
  }
}

async function entriesOf({ shown, real }: Pick<ResolvedPath, "shown" | "real">): Promise<Entry[]> {
  const folder = await opendir(real);
  const entries: Entry[] = [];
  try {
    await mustBeUnmoved(real);
    for (
      let next = await folder.read();
      next && entries.length < mostInOneFolder;
      next = await folder.read()
    ) {
      const kind = next.isFile()
        ? "file"
        : next.isDirectory()
          ? "folder"
          : next.isSymbolicLink()
            ? "link"
            : "other";
      entries.push({ shown: join(shown, next.name), real: join(real, next.name), kind });
    }
  } finally {
    await folder.close();
  }
  return entries.toSorted((a, b) => (a.shown < b.shown ? -1 : 1));
}
