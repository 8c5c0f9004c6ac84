// Named tokens: each opens only its hooks and is revoked alone.
import { loadConfig } from "../../config/load.ts";
import { formatPath, formatProblem } from "../../config/problem.ts";
import { trimHookName } from "../../config/schema/hook-name.ts";
import { openedHookFault, tokenNameFault } from "../../config/schema/tokens.ts";
import { newToken } from "../../config/write/write.ts";
import { UsageError } from "../../core/errors.ts";
import { WrongUsage } from "../command.ts";
import { addNamedToken, namedTokensPath, noSuchToken, removeNamedToken } from "../open/hook-tokens.ts";
import { confirmed } from "../terminal/confirm.ts";
import { noteLine, printJson, printJsonList, printLine } from "../terminal/output.ts";
import { processTerminal, type Terminal } from "../terminal/person.ts";
import { formatTable } from "../terminal/table.ts";
import type { Call } from "./rotate.ts";

export function addToken({ context, config, json }: Call, name: string, written: string | undefined): number {
  const nameFault = tokenNameFault(name);
  if (nameFault !== null) throw new WrongUsage(`"${name}" ${nameFault}.`);
  const hooks = readHooks(written);
  const token = newToken();
  const { file, store } = config;
  context.audit({ verb: "token.add", subject: name, store });
  addNamedToken(file, { name, token, hooks }, context.env);
  if (json) printJson(context, { name, token, hooks, file });
  else {
    printLine(context, token);
    noteLine(
      context,
      `This is the token ${name}, which opens ${hooks.join(", ")}. It is shown only now; ${file} has it.
A running gateway takes it up within seconds. To take it back: rouse token revoke ${name}`,
    );
  }
  const { warnings } = loadConfig(file, context.env);
  const path = formatPath([...namedTokensPath, name]);
  for (const each of warnings.filter((warning) => warning.path.startsWith(`${path}.`)))
    noteLine(context, `warning: ${formatProblem(each)}`);
  return 0;
}

function readHooks(written: string | undefined): string[] {
  const hooks = (written ?? "")
    .split(",")
    .map(trimHookName)
    .filter((each) => each !== "");
  if (hooks.length === 0)
    throw new WrongUsage("Which hooks does it open? Give them: --hooks agent,'build/*'");
  for (const hook of hooks) {
    const fault = openedHookFault(hook);
    if (fault !== null) throw new WrongUsage(`--hooks: "${hook}" ${fault}.`);
  }
  return [...new Set(hooks)];
}

export function listTokens({ context, config, json }: Call): number {
  const tokens = config.hooks.namedTokens.map(({ name, hooks, tokens: accepted }) => ({
    name,
    hooks,
    accepted: accepted.length,
  }));
  if (json) printJsonList(context, tokens);
  else if (tokens.length === 0)
    noteLine(context, "There are no named tokens. Make one with: rouse token add NAME --hooks HOOK");
  else context.stdout.write(formatTable(columns, tokens, context.columns));
  return 0;
}

type Listed = { name: string; hooks: readonly string[]; accepted: number };

const columns = [
  { title: "NAME", value: ({ name }: Listed) => name },
  { title: "ACCEPTED", value: ({ accepted }: Listed) => accepted },
  { title: "HOOKS", value: ({ hooks }: Listed) => hooks.join(", ") },
];

export async function revokeToken(
  { context, config, json }: Call,
  name: string,
  { isSure }: { isSure: boolean },
  terminal: Terminal = processTerminal(context),
): Promise<number> {
  const token = config.hooks.namedTokens.find((each) => each.name === name);
  if (token === undefined) throw new UsageError(noSuchToken(name));
  const question = `Revoke the token ${name}? Its callers get 401 at ${token.hooks.join(", ")}.`;
  if (!isSure && !(await confirmed(terminal, question))) throw new UsageError("Nothing was changed.");
  context.audit({ verb: "token.revoke", subject: name, store: config.store });
  removeNamedToken(config.file, name, context.env);
  if (json) printJson(context, { name, file: config.file, revoked: true });
  else
    printLine(
      context,
      `The token ${name} was removed from ${config.file}. A running gateway refuses it within seconds.`,
    );
  return 0;
}
