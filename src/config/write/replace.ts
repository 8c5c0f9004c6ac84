// Replaces a config file by an edited text, atomically and only if that text can be used. Its owner stays.
import { chownSync, type Stats, statSync } from "node:fs";
import { UsageError } from "../../core/errors.ts";
import { type Environment, parseConfig } from "../load.ts";
import type { Config } from "../config.ts";
import { type Finding, formatProblem } from "../problem.ts";
import { readRegularFileSync } from "../read/regular-file.ts";
import { withConfigLock } from "./lock.ts";
import { writeFileAtomic } from "./write.ts";

type Replacing = {
  /** Names the edited setting. */
  what: string;
  env: Environment;
  backup?: boolean;
  /** What only other folders can say of the new config: it is not written when there is anything. */
  check?: (config: Config) => readonly Finding[];
};

/**
 * `edit` gets the present text. No other command changes the file from that moment until it is replaced. Returns the
 * path of the backup, if one was asked for.
 */
export const replaceConfig = (
  file: string,
  edit: (text: string) => string,
  replacing: Replacing,
): string | null => withConfigLock(file, () => replaceLocked(file, edit, replacing));

function replaceLocked(
  file: string,
  edit: (text: string) => string,
  { what, env, backup = false, check = () => [] }: Replacing,
): string | null {
  const before = readText(file);
  const edited = edit(before.replace(/^\uFEFF/, ""));
  const readBack = parseConfig(edited, { file, env, readFile: readText });
  const problems = readBack.ok ? check(readBack.config).map(readBack.locate) : readBack.problems;
  if (problems.length > 0)
    throw new UsageError(
      `${file} was not changed: ${what} could not be edited in it (${problems.map(formatProblem).join("; ")}).`,
    );
  const kept = backup ? `${file}.bak` : null;
  const about = statSync(file);
  if (kept !== null) {
    writeFileAtomic(kept, before, 0o600);
    giveTo(kept, about);
  }
  writeConfig(file, edited);
  return kept;
}

/** Its mode and its owner stay. */
export function writeConfig(file: string, text: string): void {
  const about = statSync(file);
  writeFileAtomic(file, text, about.mode & 0o777);
  giveTo(file, about);
}

/** When root runs this for a service of another user, the service must still be able to read its config. */
function giveTo(file: string, { uid, gid }: Pick<Stats, "uid" | "gid">): void {
  if (process.getuid?.() === 0) chownSync(file, uid, gid);
}

const readText = (file: string): string => readRegularFileSync(file).toString("utf8");
