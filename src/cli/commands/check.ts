// `rouse check`: lists every problem of a config at once.
import { instructionProblems } from "../open/instructions.ts";
import { exampleWarnings } from "../explain/examples.ts";
import { preparedMappings } from "../open/mappings.ts";
import { existsSync } from "node:fs";
import { formatProblem, type Problem } from "../../config/problem.ts";
import { UsageError } from "../../core/errors.ts";
import { configFlag, jsonFlag, readArguments, refuseMore } from "../terminal/arguments.ts";
import type { Command, Context } from "../command.ts";
import { noteLine, painter, printJson, printLine } from "../terminal/output.ts";
import { refreshSchema, schemaFileOf } from "../open/schema.ts";
import { findConfigFile, type Loaded, missingConfig } from "../open/settings.ts";
import { safeText } from "../terminal/text.ts";

const flags = { ...configFlag, ...jsonFlag } as const;

async function run(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context, flags);
  refuseMore(positionals, 0);
  const file = await findConfigFile(context, values.config);
  if (!existsSync(file)) throw new UsageError(missingConfig(file));
  const { loadConfig } = await import("../../config/load.ts");
  const loaded = loadConfig(file, context.env);
  const { problems, warnings } = loaded.ok ? await checkLoaded(loaded, context) : loaded;
  const isRefreshed = await refreshSchema(file);
  const count = problems.length;
  if (values.json) {
    printJson(context, { ok: count === 0, file, problems, warnings });
    return count === 0 ? 0 : 1;
  }
  if (isRefreshed) noteLine(context, `${schemaFileOf(file)} is that of this version now.`);
  const paint = painter(context);
  for (const problem of problems) context.stdout.write(`${paint("red", "problem")}  ${text(problem)}\n`);
  for (const warning of warnings) context.stdout.write(`${paint("yellow", "warning")}  ${text(warning)}\n`);
  printLine(
    context,
    count === 0 ? `${file} can be used.` : `${file} has ${count} problem${count === 1 ? "" : "s"}.`,
  );
  return count === 0 ? 0 : 1;
}

async function checkLoaded(
  loaded: Loaded,
  { clock }: Context,
): Promise<{ problems: Problem[]; warnings: Problem[] }> {
  const mappings = await preparedMappings(loaded);
  return {
    problems: [
      ...mappings.problems,
      ...(await instructionProblems(loaded)),
      ...(await channelProblems(loaded)),
    ],
    warnings: [
      ...loaded.warnings,
      ...(await exampleWarnings(loaded, mappings.list, clock.now(), mappings.patterns)),
    ],
  };
}

/** Creates the channels and loads the modules of users, but calls no platform. */
async function channelProblems({ config, locate }: Loaded): Promise<Problem[]> {
  const { openChannels } = await import("../../channels/registry.ts");
  const opened = await openChannels(config.channels, { fetch });
  return opened.ok ? [] : opened.findings.map(locate);
}

const text = (problem: Problem): string => safeText(formatProblem(problem));

export const command: Command = {
  name: "check",
  summary: "list every problem of the config",
  help: `Usage: rouse check [--config FILE] [--json]

Reads the config as the gateway would, with its mappings, modules and instructions files, and lists
every problem at once, each with its path and line, and warnings after them: also about filters and
templates of a mapping that find nothing in its example payloads. Nothing is started, and nothing changed but the
schema for editors beside the config, after an upgrade. Use it before a restart, or in CI. Exit code
1 when there is a problem; warnings alone are 0.

Options:
  --json         {"ok":…,"file":…,"problems":[…],"warnings":[…]}
  --config FILE  the config to use (default: rouse.jsonc in ROUSE_HOME)

Examples:
  rouse check
  rouse check --config ./rouse.jsonc --json`,
  syntax: { options: flags },
  run,
};
