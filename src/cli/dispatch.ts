// Finds the command and turns its result into an exit code: 0, 1 (failed) or 2 (wrong usage).
import { largest } from "../core/largest.ts";
import { readFileSync } from "node:fs";
import { nearest } from "../core/nearest.ts";
import { UsageError } from "../core/errors.ts";
import { oneLine } from "../core/text.ts";
import { runAudited } from "./audit/writes.ts";
import { commandNames, loadAll, loadCommand } from "./catalogue.ts";
import { type Command, type Context, usageOf, WrongUsage } from "./command.ts";
import { safeText } from "./terminal/text.ts";

/** What the process gives to every command. */
type Process = Omit<Context, "audit">;

export async function dispatch(context: Process): Promise<number> {
  const [first, ...rest] = context.argv;
  try {
    if (first === undefined) return await showOverview(context.stderr, 2);
    if (first === "--version" || first === "-v") return showVersion(context);
    if (first === "--help" || first === "-h") return await showOverview(context.stdout, 0);
    if (first === "help") return await showHelp(context, rest);
    const command = await loadCommand(first);
    if (!command) return unknownCommand(context, first);
    return await runCommand(command, { ...context, argv: rest });
  } catch (fault) {
    return explainFault(context, fault);
  }
}

async function runCommand(command: Command, context: Process): Promise<number> {
  if (wantsHelp(context.argv)) {
    context.stdout.write(`${command.help}\n`);
    return 0;
  }
  try {
    return await runAudited(context, command.run);
  } catch (fault) {
    if (!(fault instanceof WrongUsage)) throw fault;
    const more = `More: rouse help ${command.name}`;
    context.stderr.write(`rouse ${command.name}: ${safeText(fault.message)}\n${usageOf(command)}\n${more}\n`);
    return 2;
  }
}

function wantsHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  const options = end === -1 ? argv : argv.slice(0, end);
  return options.includes("--help") || options.includes("-h");
}

async function showHelp(context: Process, rest: readonly string[]): Promise<number> {
  const name = rest.find((each) => !each.startsWith("-"));
  if (name === undefined || name === "help") return showOverview(context.stdout, 0);
  const command = await loadCommand(name);
  if (!command) return unknownCommand(context, name);
  context.stdout.write(`${command.help}\n`);
  return 0;
}

async function showOverview(output: Context["stdout"], code: number): Promise<number> {
  const commands = await loadAll();
  const width = largest(commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  output.write(`Usage: rouse COMMAND [OPTIONS]

Rouse is a front door for AI agents: a webhook comes in, is stored, and wakes an agent or runs it.

Commands:
${lines.join("\n")}

Every command takes --config FILE (default: rouse.jsonc in ROUSE_HOME, which is ~/.rouse) and --help.

Examples:
  rouse start                      make a config if there is none, and serve
  rouse send agent "Hello" --wait  run the agent and print its reply
  rouse help send                  show the help of one command
`);
  return code;
}

function showVersion(context: Process): number {
  const about = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  context.stdout.write(`${(JSON.parse(about) as { version: string }).version}\n`);
  return 0;
}

function unknownCommand(context: Process, name: string): number {
  const near = nearest(name, commandNames);
  const hint = near ? `Did you mean: rouse ${near}` : "List all commands: rouse help";
  const missing = name.startsWith("-")
    ? `${name} must come after a command.`
    : `There is no command ${name}.`;
  context.stderr.write(`rouse: ${safeText(missing)} ${hint}\n`);
  return 2;
}

function explainFault({ env, stderr }: Process, fault: unknown): number {
  if (fault instanceof UsageError) stderr.write(`${safeText(fault.message)}\n`);
  else {
    stderr.write(`rouse: ${oneLine(safeText(describe(fault)))}\n`);
    if (env["ROUSE_DEBUG"] && fault instanceof Error) stderr.write(`${safeText(fault.stack ?? "")}\n`);
  }
  return 1;
}

function describe(fault: unknown): string {
  if (!(fault instanceof Error)) return `something went wrong (${typeof fault})`;
  const code = "code" in fault && typeof fault.code === "string" ? fault.code : fault.name;
  return fault.message.trim() || code;
}
