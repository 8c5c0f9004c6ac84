// The list tool: the entries of a folder.
import { Refusal } from "./fault.ts";
import { openFolder } from "./folder.ts";
import { findExisting, quoted } from "./path.ts";
import { type Entry, walk } from "./walk.ts";

export const mostListed = 1000;

export async function listFolder(
  root: string,
  { path = ".", depth = 1 }: { path?: string | undefined; depth?: number | undefined },
  signal: AbortSignal,
): Promise<string> {
  const found = await findExisting(root, path);
  const folder = await openFolder(found.real);
  if (folder === null) throw new Refusal(`${quoted(found.shown)} is not a folder. Use the read tool.`);
  try {
    const lines: string[] = [];
    for await (const entry of walk(folder, found.shown, depth, signal)) {
      if (lines.length === mostListed)
        return [...lines, `[Cut: more than ${mostListed} entries. List a folder below.]`].join("\n");
      lines.push(await lineOf(entry));
    }
    return lines.length === 0 ? "The folder is empty." : lines.join("\n");
  } finally {
    await folder.close();
  }
}

async function lineOf({ shown, kind, folder, name: entryName }: Entry): Promise<string> {
  const name = /\p{Cc}/u.test(shown) ? JSON.stringify(shown) : shown;
  if (kind === "folder") return `${name}/`;
  if (kind === "link") return `${name} (link)`;
  if (kind === "other") return `${name} (not a plain file)`;
  const size = await folder.lstat(entryName).then(
    (found) => `${found.size} bytes`,
    () => "gone",
  );
  return `${name} (${size})`;
}
