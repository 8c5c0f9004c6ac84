// Lets one process at a time change a config. What is read under the lock is still there when it is replaced.
import { chownSync, existsSync, realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { UsageError } from "../../core/errors.ts";

/** A change takes milliseconds, so one that waits longer meets a process that hangs. */
const longestWaitMs = 10_000;
const busy = 5;

/**
 * `use` must not wait for anything. The lock is an open transaction on an empty database next to the config: the system
 * releases it however the process ends. The file stays, because removing it would let two processes in.
 */
export function withConfigLock<T>(file: string, use: () => T, waitMs = longestWaitMs): T {
  const target = existsSync(file) ? realpathSync(file) : resolve(file);
  const path = `${target}.lock`;
  const lock = lockAt(path, file, waitMs);
  try {
    giveToOwner(path, existsSync(target) ? target : dirname(target));
    return use();
  } finally {
    lock.close();
  }
}

function lockAt(path: string, file: string, waitMs: number): DatabaseSync {
  let lock: DatabaseSync | null = null;
  try {
    lock = new DatabaseSync(path, { timeout: waitMs });
    lock.exec("begin exclusive");
    return lock;
  } catch (fault) {
    lock?.close();
    if (fault instanceof Error && "errcode" in fault && fault.errcode === busy)
      throw new UsageError(`Another command is changing ${file}. Nothing was changed; try again.`);
    throw new UsageError(
      `${file} was not written: ${path} cannot be written. Run this as the owner of that folder, or choose another home with ROUSE_HOME.`,
    );
  }
}

/** When root changes the config of another user, that user must still be able to lock it. */
function giveToOwner(path: string, of: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(of);
  chownSync(path, uid, gid);
}
