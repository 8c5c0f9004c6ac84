// `rouse token`: makes tokens, and rotates the hook token without refusing any caller in between.
import { UsageError } from "../../core/errors.ts";
import { configFlag, jsonFlag, readArguments, refuseMore } from "../terminal/arguments.ts";
import { type Command, type Context, WrongUsage } from "../command.ts";
import { printJson, printLine } from "../terminal/output.ts";
import { loadSettings } from "../open/settings.ts";

const flags = { ...configFlag, ...jsonFlag, finish: { type: "boolean" } } as const;

async function run(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context, flags);
  const [verb] = positionals;
  refuseMore(positionals, 1);
  const json = values.json === true;
  if (verb === "new" && !values.finish) return printNew(context, json);
  if (verb !== "rotate") throw new WrongUsage("Give a verb: token new, or token rotate");
  // A config with problems is not edited: whether the edit is right could not be checked.
  const { config } = await loadSettings(context, values.config);
  return values.finish ? finish(context, config.file, json) : rotate(context, config.file, json);
}

async function printNew(context: Context, json: boolean): Promise<number> {
  const { newToken } = await import("../../config/write/write.ts");
  const token = newToken();
  if (json) printJson(context, { token });
  else printLine(context, token);
  return 0;
}

async function rotate(context: Context, file: string, json: boolean): Promise<number> {
  const { newToken } = await import("../../config/write/write.ts");
  const { changeHookTokens } = await import("../open/hook-tokens.ts");
  const token = newToken();
  let kept = 0;
  const addToken = (written: readonly string[]) => {
    kept = written.length;
    return [token, ...written];
  };
  changeHookTokens(file, addToken, context.env);
  if (json) printJson(context, { token, file, kept });
  else {
    printLine(context, token);
    context.stderr.write(
      `This is the new hook token; ${file} has it first. ${keptSentence(kept)}A running gateway takes it up within seconds.\n` +
        "When every caller sends the new one: rouse token rotate --finish\n",
    );
  }
  return 0;
}

const keptSentence = (count: number): string =>
  count === 0
    ? ""
    : count === 1
      ? "The old one is still accepted. "
      : `The ${count} old ones are still accepted. `;

async function finish(context: Context, file: string, json: boolean): Promise<number> {
  const { changeHookTokens } = await import("../open/hook-tokens.ts");
  let dropped = 0;
  const keepNewest = ([newest, ...old]: readonly string[]) => {
    if (newest === undefined || old.length === 0)
      throw new UsageError("There is only one hook token: nothing to finish. Start with: rouse token rotate");
    dropped = old.length;
    return [newest];
  };
  changeHookTokens(file, keepNewest, context.env);
  if (json) printJson(context, { file, dropped });
  else
    printLine(
      context,
      `Only the newest token is accepted now; ${dropped === 1 ? "the old one was" : `${dropped} old ones were`} removed from ${file}.`,
    );
  return 0;
}

export const command: Command = {
  name: "token",
  summary: "make a token, or rotate the hook token",
  help: `Usage: rouse token new [--json]
       rouse token rotate [--finish] [--config FILE] [--json]

  new       prints a fresh token: 256 random bits, safe in a header. Changes nothing.
  rotate    puts a fresh token first in hooks.token and keeps the old ones, so that callers can be
            switched one by one; prints the token once. Comments in the config stay.
  rotate --finish
            removes the old tokens, once every caller sends the new one.

Options:
  --json         as JSON
  --config FILE  the config to use (default: rouse.jsonc in ROUSE_HOME)

Examples:
  rouse token rotate
  rouse token rotate --finish`,
  syntax: {
    options: { ...configFlag, ...jsonFlag },
    words: { new: { options: jsonFlag }, rotate: { options: flags } },
  },
  run,
};
