// A folder for one test, in memory where the system offers that: these tests do not depend on the disk, and a disk that
// flushes slowly would make them many times slower. Tests of crashes and full disks use the disk.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const memory = "/dev/shm";
const made: string[] = [];

/** Removed when the process ends, if not before. */
export function makeFolder(name: string): string {
  if (made.length === 0)
    process.once("exit", () => {
      for (const folder of made) rmSync(folder, { recursive: true, force: true });
    });
  const folder = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), `rouse-${name}-`));
  made.push(folder);
  return folder;
}
