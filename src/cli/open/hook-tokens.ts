// Replaces `hooks.token` in the text of a config; comments and the file's owner stay.
import { findNodeAtLocation, getNodeValue, parseTree } from "jsonc-parser";
import { replaceConfig } from "../../config/write/replace.ts";
import { editConfig } from "../../config/write/write.ts";
import { UsageError } from "../../core/errors.ts";

const path = ["hooks", "token"];

/** `change` gets the tokens that the file has at that moment; no other command changes it meanwhile. */
export function changeHookTokens(
  file: string,
  change: (written: readonly string[]) => readonly string[],
  env: NodeJS.ProcessEnv,
): void {
  const edit = (text: string): string => {
    const tokens = change(writtenHookTokens(text));
    return editConfig(text, path, tokens.length === 1 ? tokens[0] : tokens);
  };
  replaceConfig(file, edit, { what: "hooks.token", env });
}

/** The tokens written in the file itself. Throws when one is only a reference: it must be changed at its source. */
function writtenHookTokens(text: string): string[] {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const node = root && findNodeAtLocation(root, path);
  const written: unknown = node ? getNodeValue(node) : [];
  const all: unknown[] = Array.isArray(written) ? written : [written];
  const elsewhere = all.map(keptElsewhere).find((each) => each !== null);
  if (elsewhere) throw new UsageError(elsewhere);
  return all.filter((each): each is string => typeof each === "string" && each.trim() !== "");
}

function keptElsewhere(written: unknown): string | null {
  const source =
    typeof written === "string"
      ? /(?<!\$)\$\{/.test(written)
        ? "from the environment"
        : null
      : `from the file ${String((written as { file?: unknown } | null)?.file)}`;
  return (
    source &&
    `hooks.token reads a token ${source}, so change it there. Make one with: rouse token new
Set hooks.token to a list of two references, the new one first; when every caller sends the new one, remove the old one.`
  );
}
