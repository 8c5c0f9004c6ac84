// `rouse token`: makes tokens, rotates them without refusing any caller in between, and gives callers tokens of their own.
import { type Command, type Context, WrongUsage } from "../command.ts";
import { loadSettings } from "../open/settings.ts";
import { configFlag, jsonFlag, readArguments, refuseMore, unknownVerb } from "../terminal/arguments.ts";
import { printJson, printLine } from "../terminal/output.ts";

const flags = {
  ...configFlag,
  ...jsonFlag,
  finish: { type: "boolean" },
  hooks: { type: "string" },
  yes: { type: "boolean" },
} as const;

const verbs = ["new", "rotate", "add", "list", "revoke"] as const;
type Verb = (typeof verbs)[number];

/** The option that only this verb takes. */
const ownFlags: Readonly<Record<string, Verb>> = { finish: "rotate", hooks: "add", yes: "revoke" };

async function run(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context, flags);
  const [written, name] = positionals;
  if (written === undefined) throw new WrongUsage(`Give a verb: ${verbs.join(", ")}`);
  const verb = verbs.find((each) => each === written);
  if (verb === undefined) throw unknownVerb(written, verbs);
  for (const [flag, owner] of Object.entries(ownFlags))
    if (owner !== verb && Object.hasOwn(values, flag))
      throw new WrongUsage(`--${flag} goes with token ${owner}.`);
  refuseMore(positionals, verb === "new" || verb === "list" ? 1 : 2);
  const json = values.json === true;
  if (verb === "new") return printNew(context, json);
  // A config with problems is not edited: whether the edit is right could not be checked.
  const { config } = await loadSettings(context, values.config);
  const call = { context, config, json };
  if (verb === "rotate") {
    const { rotateToken, finishRotation } = await import("../token/rotate.ts");
    return values.finish ? finishRotation(call, name ?? null) : rotateToken(call, name ?? null);
  }
  const { addToken, listTokens, revokeToken } = await import("../token/named.ts");
  if (verb === "list") return listTokens(call);
  if (name === undefined) throw new WrongUsage(`Which token? Give its name: token ${verb} NAME`);
  return verb === "add"
    ? addToken(call, name, values.hooks)
    : revokeToken(call, name, { isSure: values.yes === true });
}

async function printNew(context: Context, json: boolean): Promise<number> {
  const { newToken } = await import("../../config/write/write.ts");
  const token = newToken();
  if (json) printJson(context, { token });
  else printLine(context, token);
  return 0;
}

export const command: Command = {
  name: "token",
  summary: "make, rotate, list and revoke tokens of callers",
  help: `Usage: rouse token add NAME --hooks HOOK[,HOOK…] [--json] [--config FILE]
       rouse token list [--json] [--config FILE]
       rouse token revoke NAME [--yes] [--json] [--config FILE]
       rouse token rotate [NAME] [--finish] [--json] [--config FILE]
       rouse token new [--json]

  add       makes a token that opens only the hooks given: names, or a prefix such as 'build/*'.
            Writes it into the config and prints it once. Its name stands on what its requests lead to.
  list      the named tokens and the hooks that they open; never a token itself.
  revoke    removes a named token. Its callers get 401 from then on.
  rotate    puts a fresh token first in hooks.token, or in the named one, and keeps the old ones, so
            that callers can be switched one by one; prints the token once.
  rotate --finish
            removes the old tokens, once every caller sends the new one.
  new       prints a fresh token: 256 random bits, safe in a header. Changes nothing.

Comments in the config stay. A running gateway takes up each change within seconds.

Options:
  --hooks LIST   the hooks that the token opens, separated by commas
  --yes          revoke without asking
  --json         as JSON
  --config FILE  the config to use (default: rouse.jsonc in ROUSE_HOME)

Examples:
  rouse token add ci --hooks 'agent,build/*'
  rouse token rotate ci
  rouse token revoke ci --yes
  rouse token rotate --finish`,
  syntax: {
    options: { ...configFlag, ...jsonFlag },
    words: {
      new: { options: jsonFlag },
      list: { options: { ...configFlag, ...jsonFlag } },
      rotate: { options: { ...configFlag, ...jsonFlag, finish: flags.finish } },
      add: { options: { ...configFlag, ...jsonFlag, hooks: flags.hooks } },
      revoke: { options: { ...configFlag, ...jsonFlag, yes: flags.yes } },
    },
  },
  run,
};
