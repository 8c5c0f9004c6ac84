// Which config a command works with, and its loading: a config with problems ends the command with all of them.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { LoadResult, Problem } from "../config/load.ts";
import { UsageError } from "../core/errors.ts";
import type { Context } from "./command.ts";

export type Loaded = Extract<LoadResult, { ok: true }>;

export async function findConfigFile({ env }: Context, written: string | undefined): Promise<string> {
  if (written !== undefined) return resolve(written);
  const { homeOf } = await import("../config/write.ts");
  return join(homeOf(env), "rouse.jsonc");
}

export async function loadSettings(context: Context, written: string | undefined): Promise<Loaded> {
  const file = await findConfigFile(context, written);
  if (!existsSync(file)) throw new UsageError(missingConfig(file));
  const { loadConfig } = await import("../config/load.ts");
  const loaded = loadConfig(file, context.env);
  if (loaded.ok) return loaded;
  throw new UsageError([`${file} cannot be used:`, ...loaded.problems.map(indented)].join("\n"));
}

export const missingConfig = (file: string): string =>
  `There is no config at ${file}. Make one with: rouse init (or name another with --config FILE)`;

/** `path: message (line N, column M)`, as far as these are known. */
export function formatProblem({ path, message, line, column }: Problem): string {
  const place = line === undefined ? "" : ` (line ${line}, column ${column ?? 1})`;
  return `${path === "" ? "" : `${path}: `}${message}${place}`;
}

const indented = (problem: Problem): string => `  ${formatProblem(problem)}`;
