// Ensures that only one gateway uses a file.
import { DatabaseSync } from "node:sqlite";
import { UsageError } from "../../core/errors.ts";

/** An open transaction on a small database next to the store; the kernel releases it however the process ends. */
export function lockFile(path: string): () => void {
  const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 });
  try {
    lock.exec("begin exclusive");
  } catch {
    lock.close();
    throw new UsageError(
      `Another gateway is running on ${path}. Stop it first, or give this one a home of its own: ROUSE_HOME, or --config FILE.`,
    );
  }
  return () => lock.close();
}
