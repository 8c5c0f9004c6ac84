// The search tool: lines that contain a text. No patterns, because a bad one could take for ever.
import { basename } from "node:path";
import { cutWithMark } from "../../core/text.ts";
import { Refusal } from "./fault.ts";
import { openFolder, openFolderOf, openToRead } from "./folder.ts";
import { findExisting } from "./path.ts";
import { decode, readUpTo } from "./read.ts";
import { type Entry, walk } from "./walk.ts";

export type SearchInput = {
  text: string;
  path?: string | undefined;
  ignoreCase?: boolean | undefined;
  nameEndsWith?: string | undefined;
};

export const mostFound = 200;
export const largestSearched = 2_000_000;
const mostBytes = 50_000_000;
const mostFiles = 10_000;
const longestLine = 300;
const deepest = 20;
export const notSearched: ReadonlySet<string> = new Set([".git", "node_modules"]);

export async function searchFiles(root: string, input: SearchInput, signal: AbortSignal): Promise<string> {
  if (/[\r\n]/.test(input.text)) throw new Refusal("The text to search for must be part of one line.");
  const found: string[] = [];
  const left = { files: mostFiles, bytes: mostBytes };
  let tooLarge = 0;
  for await (const entry of filesToSearch(root, input, signal)) {
    if (left.files-- === 0 || left.bytes <= 0)
      return report(found, tooLarge, "Stopped: too many files. Search a folder below.");
    const bytes = await contentOf(entry);
    if (bytes === "too-large") tooLarge++;
    if (typeof bytes === "string") continue;
    left.bytes -= bytes.length;
    const matches = matchesIn(entry.shown, decode(bytes) ?? "", input, mostFound + 1 - found.length);
    for (const match of matches) found.push(match);
    if (found.length > mostFound)
      return report(
        found.slice(0, mostFound),
        tooLarge,
        `Cut: more than ${mostFound} lines. Search for more of the line.`,
      );
  }
  return report(found, tooLarge, null);
}

type SearchedFile = Pick<Entry, "shown" | "folder" | "name">;

async function* filesToSearch(
  root: string,
  { path = ".", nameEndsWith = "" }: SearchInput,
  signal: AbortSignal,
): AsyncGenerator<SearchedFile> {
  const found = await findExisting(root, path);
  const { shown, real } = found;
  const folder = await openFolder(real);
  const opened = folder ?? (await openFolderOf(root, found));
  try {
    if (folder === null) return yield { shown, folder: opened, name: basename(real) };
    for await (const entry of walk(folder, shown, deepest, signal, notSearched))
      if (entry.kind === "file" && entry.shown.endsWith(nameEndsWith)) yield entry;
  } finally {
    await opened.close();
  }
}

async function contentOf({
  folder,
  name,
  shown,
}: SearchedFile): Promise<Buffer | "too-large" | "unreadable"> {
  try {
    const handle = await openToRead(folder, name, shown);
    try {
      const { size } = await handle.stat();
      return size > largestSearched ? "too-large" : await readUpTo(handle, 0, size);
    } finally {
      await handle.close();
    }
  } catch {
    return "unreadable";
  }
}

function matchesIn(
  shown: string,
  content: string,
  { text, ignoreCase = false }: SearchInput,
  most: number,
): string[] {
  const fold = (each: string) => (ignoreCase ? each.toLowerCase() : each);
  const wanted = fold(text);
  const matches: string[] = [];
  if (!fold(content).includes(wanted)) return matches;
  for (const [at, line] of content.split(/\r?\n/).entries()) {
    if (matches.length === most) break;
    if (fold(line).includes(wanted))
      matches.push(`${shown}:${at + 1}: ${cutWithMark(line.trim(), longestLine)}`);
  }
  return matches;
}

function report(found: readonly string[], tooLarge: number, note: string | null): string {
  const lines = found.length === 0 ? ["Nothing was found."] : [...found];
  if (note !== null) lines.push(`[${note}]`);
  if (tooLarge > 0) lines.push(`[Not searched: ${tooLarge} files of more than ${largestSearched} bytes.]`);
  return lines.join("\n");
}
