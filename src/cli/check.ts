// `rouse check`: everything that is wrong with a config, at once.
import { existsSync } from "node:fs";
import { UsageError } from "../core/errors.ts";
import { configFlag, jsonFlag, readArguments, refuseMore } from "./arguments.ts";
import type { Command, Context } from "./command.ts";
import { painter, printJson, printLine } from "./output.ts";
import { findConfigFile, formatProblem, missingConfig } from "./settings.ts";
import { safeText } from "./terminal-text.ts";

async function run(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context.argv, { ...configFlag, ...jsonFlag });
  refuseMore(positionals, 0);
  const file = await findConfigFile(context, values.config);
  if (!existsSync(file)) throw new UsageError(missingConfig(file));
  const { loadConfig } = await import("../config/load.ts");
  const loaded = loadConfig(file, context.env);
  const problems = loaded.ok ? [] : loaded.problems;
  const { warnings } = loaded;
  if (values.json) {
    printJson(context, { ok: loaded.ok, file, problems, warnings });
    return loaded.ok ? 0 : 1;
  }
  const paint = painter(context);
  for (const problem of problems) context.stdout.write(`${paint("red", "problem")}  ${text(problem)}\n`);
  for (const warning of warnings) context.stdout.write(`${paint("yellow", "warning")}  ${text(warning)}\n`);
  const count = problems.length;
  printLine(
    context,
    loaded.ok ? `${file} can be used.` : `${file} has ${count} problem${count === 1 ? "" : "s"}.`,
  );
  return loaded.ok ? 0 : 1;
}

const text = (problem: Parameters<typeof formatProblem>[0]): string => safeText(formatProblem(problem));

export const command: Command = {
  name: "check",
  summary: "say everything that is wrong with the config",
  help: `Usage: rouse check [--config FILE] [--json]

Reads the config as the gateway would and lists every problem at once, each with its path and line,
and warnings after them. Nothing is changed or started. Use it before a restart, or in CI. Exit code
1 when there is a problem; warnings alone are 0.

Options:
  --json         {"ok":…,"file":…,"problems":[…],"warnings":[…]}
  --config FILE  another config than the one in ROUSE_HOME

Examples:
  rouse check
  rouse check --config ./rouse.jsonc --json`,
  run,
};
