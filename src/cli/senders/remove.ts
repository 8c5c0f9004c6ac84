// `rouse senders remove`: takes a sender out of the config, with the mappings of its hook and the secret that we wrote.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { replaceConfig } from "../../config/write/replace.ts";
import { UsageError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import { type Context, WrongUsage } from "../command.ts";
import { loadSettings } from "../open/settings.ts";
import { readArguments, refuseMore } from "../terminal/arguments.ts";
import { removeFlags } from "./options.ts";
import { confirmed } from "../terminal/confirm.ts";
import { printJson, printLine } from "../terminal/output.ts";
import { processTerminal, type Terminal } from "../terminal/person.ts";
import { senderProblems, valueAt, withoutSender } from "./entry.ts";
import { removeSecret, secretName } from "./secrets.ts";

export async function runRemove(
  context: Context,
  terminal: Terminal = processTerminal(context),
): Promise<number> {
  const { values, positionals } = readArguments(context, removeFlags);
  refuseMore(positionals, 1);
  const { config } = await loadSettings(context, values.config);
  const { file, hooks } = config;
  const name = senderNamed(
    positionals[0],
    hooks.senders.map((sender) => sender.name),
    file,
  );
  const isKept = values["keep-mappings"] === true;
  const gone = isKept ? [] : hooks.mappings.filter(({ match }) => match.path === name).map(({ id }) => id);
  const question = `Remove the sender ${name}? ${effectOf(gone, isKept)}`;
  if (values.yes !== true && !(await confirmed(terminal, question)))
    throw new UsageError("Nothing was changed.");
  context.audit({ verb: "sender.remove", subject: name, store: config.store });
  let after = "";
  const edit = (text: string): string => {
    if (valueAt(text, ["hooks", "senders", name]) === undefined) throw missing(name, file);
    return (after = withoutSender(text, name, isKept));
  };
  const backup = replaceConfig(file, edit, {
    what: `hooks.senders.${name}`,
    env: context.env,
    backup: true,
    check: senderProblems,
  });
  const removed = [secretName(name), secretName(name, "-verify-token")].filter(
    (each) => existsSync(join(dirname(file), each)) && !after.includes(JSON.stringify(each)),
  );
  for (const each of removed) removeSecret(file, each);
  const secretFiles = removed.map((each) => join(dirname(file), each));
  if (values.json) {
    printJson(context, { name, file, backup, mappings: gone, secretFiles });
    return 0;
  }
  printLine(context, `The sender ${name} is no longer in ${file}; as it was before: ${backup}`);
  if (gone.length > 0) printLine(context, `Gone with it: ${gone.join(", ")}`);
  if (isKept) printLine(context, `Its mappings stay: the hook ${name} is opened by the hook token now.`);
  if (secretFiles.length > 0) printLine(context, `Removed: ${secretFiles.join(", ")}`);
  printLine(context, "Remove the webhook in the sender's settings, too.");
  return 0;
}

function effectOf(mappings: readonly string[], isKept: boolean): string {
  if (isKept) return "The hook token opens its hook then.";
  return `Its requests get 401, and these mappings go with it: ${mappings.join(", ")}.`;
}

export function senderNamed(written: string | undefined, known: readonly string[], file: string): string {
  if (written === undefined) throw new WrongUsage("Name the sender. Those there are: rouse senders");
  if (known.includes(written)) return written;
  const near = nearest(written, known);
  throw near === null
    ? missing(written, file)
    : new UsageError(`There is no sender ${written} in ${file}. Did you mean ${near}?`);
}

const missing = (name: string, file: string): UsageError =>
  new UsageError(`There is no sender ${name} in ${file}. Those there are: rouse senders`);
