// Rotates the hook token, or a named one: the old tokens go on counting until the rotation is finished.
import type { Config } from "../../config/config.ts";
import { newToken } from "../../config/write/write.ts";
import { UsageError } from "../../core/errors.ts";
import type { Context } from "../command.ts";
import {
  changeTokens,
  hookTokenPath,
  namedTokenPath,
  noSuchToken,
  type TokenPath,
} from "../open/hook-tokens.ts";
import { noteLine, printJson, printLine } from "../terminal/output.ts";

export type Call = { context: Context; config: Config; json: boolean };

/** `name`: null for `hooks.token`. */
export function rotateToken({ context, config, json }: Call, name: string | null): number {
  const { file, store } = config;
  context.audit({ verb: "token.rotate", subject: name ?? "hooks.token", store });
  const token = newToken();
  let kept = 0;
  const addFirst = (written: readonly string[]) => {
    kept = written.length;
    return [token, ...written];
  };
  changeTokens(file, pathOf(config, name), addFirst, context.env);
  if (json) {
    printJson(context, { ...named(name), token, file, kept });
    return 0;
  }
  printLine(context, token);
  const what = name === null ? "the new hook token" : `the new token ${name}`;
  noteLine(
    context,
    `This is ${what}; ${file} has it first. ${keptSentence(kept)}A running gateway takes it up within seconds.
When every caller sends the new one: rouse token rotate ${name === null ? "" : `${name} `}--finish`,
  );
  return 0;
}

const keptSentence = (count: number): string =>
  count === 0
    ? ""
    : count === 1
      ? "The old one is still accepted. "
      : `The ${count} old ones are still accepted. `;

export function finishRotation({ context, config, json }: Call, name: string | null): number {
  const { file, store } = config;
  context.audit({ verb: "token.finish", subject: name ?? "hooks.token", store });
  let dropped = 0;
  const keepNewest = ([newest, ...old]: readonly string[]) => {
    if (newest === undefined || old.length === 0) throw new UsageError(nothingToFinish(name));
    dropped = old.length;
    return [newest];
  };
  changeTokens(file, pathOf(config, name), keepNewest, context.env);
  const removed = dropped === 1 ? "the old one was" : `${dropped} old ones were`;
  if (json) printJson(context, { ...named(name), file, dropped });
  else printLine(context, `Only the newest token is accepted now; ${removed} removed from ${file}.`);
  return 0;
}

const nothingToFinish = (name: string | null): string =>
  name === null
    ? "There is only one hook token: nothing to finish. Start with: rouse token rotate"
    : `There is only one token ${name}: nothing to finish. Start with: rouse token rotate ${name}`;

const named = (name: string | null) => (name === null ? {} : { name });

function pathOf({ hooks }: Config, name: string | null): TokenPath {
  if (name === null) return hookTokenPath;
  if (!hooks.namedTokens.some((each) => each.name === name)) throw new UsageError(noSuchToken(name));
  return namedTokenPath(name);
}
