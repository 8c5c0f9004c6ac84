// A folder for one test, in memory where the system offers it: these tests do not ask about the disk, and a shared
// disk that flushes slowly would make them many times slower. Tests of crashes and full disks use the disk.
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const memory = "/dev/shm";

export const makeFolder = (name: string): string =>
  mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), `rouse-${name}-`));
