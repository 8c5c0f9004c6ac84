// Finds and loads the config of a command. A config with problems ends the command with all of them.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { LoadResult } from "../../config/load.ts";
import { problemList } from "../../config/problem.ts";
import { UsageError } from "../../core/errors.ts";
import type { Context } from "../command.ts";

export type Loaded = Extract<LoadResult, { ok: true }>;

/** `written` is absolute: the arguments' paths are. */
export async function findConfigFile({ env }: Context, written: string | undefined): Promise<string> {
  if (written !== undefined) return written;
  const { homeOf } = await import("../../config/write/write.ts");
  return join(homeOf(env), "rouse.jsonc");
}

export async function loadSettings(context: Context, written: string | undefined): Promise<Loaded> {
  const file = await findConfigFile(context, written);
  if (!existsSync(file)) throw new UsageError(missingConfig(file));
  const { loadConfig } = await import("../../config/load.ts");
  const loaded = loadConfig(file, context.env);
  if (loaded.ok) return loaded;
  throw new UsageError(problemList(file, loaded.problems));
}

export const missingConfig = (file: string): string =>
  `There is no config at ${file}. Make one with: rouse init (or name another with --config FILE)`;
