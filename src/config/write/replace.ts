// Replaces a config file by an edited text, atomically and only if that text can be used. Its owner stays.
import { chownSync, readFileSync, statSync } from "node:fs";
import { UsageError } from "../../core/errors.ts";
import { type Environment, parseConfig } from "../load.ts";
import { formatProblem } from "../problem.ts";
import { writeFileAtomic } from "./write.ts";

/** `what` names the edited setting. Returns the path of the backup, if one was asked for. */
export function replaceConfig(
  file: string,
  edited: string,
  { what, env, backup = false }: { what: string; env: Environment; backup?: boolean },
): string | null {
  const readBack = parseConfig(edited, { file, env, readFile: (each) => readFileSync(each, "utf8") });
  if (!readBack.ok) {
    const problems = readBack.problems.map(formatProblem).join("; ");
    throw new UsageError(`${file} was not changed: ${what} could not be edited in it (${problems}).`);
  }
  const { mode, uid, gid } = statSync(file);
  const kept = backup ? `${file}.bak` : null;
  if (kept !== null) writeFileAtomic(kept, readFileSync(file, "utf8"), 0o600);
  writeFileAtomic(file, edited, mode & 0o777);
  // When root runs this for a service of another user, the service must still be able to read its config.
  if (process.getuid?.() === 0) for (const each of [file, kept]) if (each !== null) chownSync(each, uid, gid);
  return kept;
}
