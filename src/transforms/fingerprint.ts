// What the transforms folder holds, so that an edited module is noticed.
import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const watched = /\.(?:[cm]?[jt]s|json)$/;
const mostFiles = 1000;

/** Changes when a module or a file beside it does. Nothing there, or too much: what could be seen counts. */
export function folderFingerprint(folder: string): string {
  const seen: string[] = [];
  const pending = [folder];
  while (pending.length > 0 && seen.length < mostFiles) {
    const current = pending.pop()!;
    for (const entry of entriesOf(current)) {
      const path = join(current, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== "node_modules") pending.push(path);
      } else if (watched.test(entry.name)) seen.push(`${path} ${stampOf(path)}`);
    }
  }
  return seen.toSorted().join("\n");
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function stampOf(path: string): string {
  const about = statSync(path, { throwIfNoEntry: false });
  return about ? `${about.mtimeMs} ${about.size} ${about.ino}` : "gone";
}
