// Reads and replaces `hooks.token` in the text of a config; comments and the file's owner stay.
import { UsageError } from "../../core/errors.ts";

const path = ["hooks", "token"];

/** The tokens written in the file itself. Throws when one is only a reference: it must be changed at its source. */
export async function writtenHookTokens(text: string): Promise<string[]> {
  const { findNodeAtLocation, getNodeValue, parseTree } = await import("jsonc-parser");
  const root = parseTree(text.replace(/^\uFEFF/, ""), [], { allowTrailingComma: true });
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

export async function replaceHookTokens(
  file: string,
  text: string,
  tokens: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const { editConfig } = await import("../../config/write/write.ts");
  const { replaceConfig } = await import("../../config/write/replace.ts");
  const edited = editConfig(text.replace(/^\uFEFF/, ""), path, tokens.length === 1 ? tokens[0] : tokens);
  replaceConfig(file, edited, { what: "hooks.token", env });
}
