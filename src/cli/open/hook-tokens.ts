// Replaces tokens in the text of a config; comments and the file's owner stay.
import { findNodeAtLocation, getNodeValue, parseTree } from "jsonc-parser";
import { formatPath } from "../../config/problem.ts";
import { replaceConfig } from "../../config/write/replace.ts";
import { editConfig } from "../../config/write/write.ts";
import { UsageError } from "../../core/errors.ts";

type Change = (written: readonly string[]) => readonly string[];

/** Where tokens are written: `hooks.token`, or that of a named one. */
export type TokenPath = readonly string[];

export const hookTokenPath: TokenPath = ["hooks", "token"];
export const namedTokensPath: TokenPath = ["hooks", "tokens"];
export const namedTokenPath = (name: string): TokenPath => [...namedTokensPath, name, "token"];

/** `change` gets the tokens that the file has at that moment; no other command changes it meanwhile. */
export function changeTokens(file: string, path: TokenPath, change: Change, env: NodeJS.ProcessEnv): void {
  const edit = (text: string): string => {
    const tokens = change(writtenTokens(text, path));
    return editConfig(text, [...path], tokens.length === 1 ? tokens[0] : tokens);
  };
  replaceConfig(file, edit, { what: formatPath(path), env });
}

export type NewNamedToken = { name: string; token: string; hooks: readonly string[] };

export function addNamedToken(file: string, added: NewNamedToken, env: NodeJS.ProcessEnv): void {
  const { name, token, hooks } = added;
  const path = [...namedTokensPath, name];
  const edit = (text: string): string => {
    if (writtenAt(text, path) !== undefined)
      throw new UsageError(`There is a token ${name} already. For a fresh one: rouse token rotate ${name}`);
    return editConfig(text, path, { token, hooks });
  };
  replaceConfig(file, edit, { what: formatPath(path), env });
}

export function removeNamedToken(file: string, name: string, env: NodeJS.ProcessEnv): void {
  const path = [...namedTokensPath, name];
  const edit = (text: string): string => {
    if (writtenAt(text, path) === undefined) throw new UsageError(noSuchToken(name));
    return editConfig(text, path, undefined);
  };
  replaceConfig(file, edit, { what: formatPath(path), env });
}

export const noSuchToken = (name: string): string =>
  `There is no token ${name}. Those there are: rouse token list`;

function writtenAt(text: string, path: TokenPath): unknown {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const node = root && findNodeAtLocation(root, [...path]);
  return node ? (getNodeValue(node) as unknown) : undefined;
}

/** The tokens written in the file itself. Throws when one is only a reference: it must be changed at its source. */
function writtenTokens(text: string, path: TokenPath): string[] {
  const written = writtenAt(text, path) ?? [];
  const all: unknown[] = Array.isArray(written) ? written : [written];
  const setting = formatPath(path);
  const elsewhere = all.map((each) => keptElsewhere(each, setting)).find((each) => each !== null);
  if (elsewhere) throw new UsageError(elsewhere);
  return all.filter((each): each is string => typeof each === "string" && each.trim() !== "");
}

function keptElsewhere(written: unknown, setting: string): string | null {
  const source =
    typeof written === "string"
      ? /(?<!\$)\$\{/.test(written)
        ? "from the environment"
        : null
      : `from the file ${String((written as { file?: unknown } | null)?.file)}`;
  return (
    source &&
    `${setting} reads a token ${source}, so change it there. Make one with: rouse token new
Set ${setting} to a list of two references, the new one first; when every caller sends the new one, remove the old one.`
  );
}
