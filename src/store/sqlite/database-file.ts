// The file behind a store's path: one name for it, whatever links lead there, and readable by its owner alone.
import { chmodSync, closeSync, existsSync, openSync, realpathSync, statSync } from "node:fs";
import { StoreUnavailable, UsageError } from "../../core/errors.ts";

/** What SQLite and the lock keep beside the database. */
const companions = ["-wal", "-shm", "-journal", ".lock"];

const othersMay = 0o077;

/** The store's files that exist, each with its mode. */
export function filesOf(path: string): { file: string; mode: number }[] {
  const real = existsSync(path) ? realpathSync(path) : path;
  return ["", ...companions].flatMap((ending) => {
    const about = statSync(real + ending, { throwIfNoEntry: false });
    return about ? [{ file: real + ending, mode: about.mode & 0o777 }] : [];
  });
}

export const isOpenToOthers = (mode: number): boolean =>
  process.platform !== "win32" && (mode & othersMay) !== 0;

/**
 * The file's real path. SQLite names the write-ahead log after it, and the lock stands beside it. Under two hard links
 * the file would have two logs and two locks, so such a file is refused.
 */
export function realFile(path: string): string {
  try {
    const real = realpathSync(path);
    const about = statSync(real);
    if (about.isFile() && about.nlink > 1) throw new UsageError(severalNames(path, about.nlink));
    return real;
  } catch (fault) {
    if (fault instanceof UsageError) throw fault;
    throw new StoreUnavailable("the database file cannot be opened", { cause: fault });
  }
}

const severalNames = (path: string, names: number): string =>
  `${path} has ${names} names (hard links). SQLite keeps a log for each name, and so loses commits. Remove the other names, or copy the file.`;

/** Creates the file where it is missing, and closes it and its companions to other users. Returns its real path. */
export function claimFile(path: string): string {
  create(path);
  const real = realFile(path);
  create(`${real}.lock`);
  for (const { file, mode } of filesOf(real)) if (isOpenToOthers(mode)) closeToOthers(file);
  return real;
}

/** A file that is there is not opened: closing it would end the locks that this process has on it. */
function create(path: string): void {
  try {
    if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
  } catch (fault) {
    throw new StoreUnavailable("the database file cannot be opened", { cause: fault });
  }
}

/** Files of another user stay as they are: `rouse doctor` reports them. */
function closeToOthers(file: string): void {
  try {
    chmodSync(file, 0o600);
  } catch {}
}
