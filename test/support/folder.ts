// A folder for one test, in memory where the system offers it: these tests do not ask about the disk, and a shared
// disk that flushes slowly would make them many times slower. Tests of crashes and full disks use the disk.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const memory = "/dev/shm";
const made: string[] = [];

/** Gone with the process, if not before. */
export function makeFolder(name: string): string {
  if (made.length === 0)
    process.once("exit", () => {
      for (const folder of made) rmSync(folder, { recursive: true, force: true });
    });
  const folder = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), `rouse-${name}-`));
  made.push(folder);
  return folder;
}
