// The commands and settings of docs/operations.md, read from the page, so that the drills use exactly those.
import { readFileSync } from "node:fs";

const page = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8");
const section = /^## Backup and restore\n(.*?)^## /ms.exec(page)?.[1] ?? "";
const blocks = [...section.matchAll(/^```\w*\n(.*?)^```$/gms)].map((match) => match[1] ?? "");

/** The lines of the block with these words in it, and the folder for /backup. */
export function documented(words: string, backups = "/backup"): string[] {
  const found = blocks.find((text) => text.includes(words));
  if (found === undefined)
    throw new Error(`docs/operations.md has no block with "${words}" in "Backup and restore"`);
  return found.trim().replaceAll("/backup/", `${backups}/`).split("\n");
}
