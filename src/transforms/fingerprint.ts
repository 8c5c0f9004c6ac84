// Fingerprints the transforms folder, so that an edited module is loaded again.
import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

const watched = /\.(?:[cm]?[jt]s|json)$/;
const mostFiles = 1000;

/** Changes when a module or a file beside it does. Never rejects: folders that cannot be read are left out. */
export async function folderFingerprint(folder: string): Promise<string> {
  const seen: string[] = [];
  const pending = [folder];
  while (pending.length > 0 && seen.length < mostFiles) {
    const current = pending.pop()!;
    for (const entry of await entriesOf(current)) {
      const path = join(current, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== "node_modules") pending.push(path);
      } else if (watched.test(entry.name)) seen.push(`${path} ${await stampOf(path)}`);
    }
  }
  return seen.toSorted().join("\n");
}

const entriesOf = (folder: string): Promise<Dirent[]> =>
  readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);

const stampOf = (path: string): Promise<string> =>
  stat(path).then(
    (about) => (about.isFile() ? `${about.mtimeMs} ${about.size} ${about.ino}` : "not a file"),
    () => "gone",
  );
