// `rouse init`: makes a home with a first config.
import { configFlag, jsonFlag, readArguments, refuseMore } from "../terminal/arguments.ts";
import type { Command, Context } from "../command.ts";
import { makeHome } from "../open/home.ts";
import { printJson, printLine } from "../terminal/output.ts";
import { findConfigFile } from "../open/settings.ts";

const flags = { ...configFlag, ...jsonFlag, force: { type: "boolean" } } as const;

async function run(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context, flags);
  refuseMore(positionals, 0);
  const file = await findConfigFile(context, values.config);
  const made = await makeHome(file, { overwrite: values.force === true });
  const { findOnMachine, linesOf } = await import("../doctor/found.ts");
  const found = await findOnMachine(context.env);
  if (values.json) {
    printJson(context, { ...made, found });
    return 0;
  }
  printLine(context, `Config:  ${made.file} (only you can read it: two fresh tokens are in it)`);
  printLine(context, `Schema:  ${made.schemaFile} (editors check the config with it)`);
  const named = values.config === undefined ? "" : ` --config ${file}`;
  printLine(context, `Next:    rouse start${named}`);
  printLine(context, `Replies: add a channel (docs/channels.md), then say who gets them, such as`);
  printLine(context, `         rouse sessions target telegram 12345${named}`);
  if (found.length === 0) return 0;
  printLine(context, "\nFound on this machine. To use one instead of echo, write its lines into the config:");
  for (const each of found) printLine(context, [`\n  ${each.what}`, ...linesOf(each)].join("\n    "));
  return 0;
}

export const command: Command = {
  name: "init",
  summary: "make a config with fresh tokens",
  help: `Usage: rouse init [--config FILE] [--force] [--json]

Makes the home folder (mode 0700) and in it rouse.jsonc (mode 0600) with hooks enabled and two fresh
tokens, and a schema beside it for editors. Starts nothing. Use it to read the config before the
first start; "rouse start" does it by itself when there is none. Lists which agents this machine has
(claude, codex, gemini, a local model server, keys in the environment) and how to use them.

Options:
  --force        replace an existing config, including its tokens
  --json         the paths, and what was found, as JSON
  --config FILE  where to write it; default rouse.jsonc in ROUSE_HOME, which is ~/.rouse

Examples:
  rouse init
  rouse init --config ./rouse.jsonc`,
  syntax: { options: flags },
  run,
};
