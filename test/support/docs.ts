// Reading our own pages: files, links, headings.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";

export type SourceFile = { path: string; text: string };
/** Every file under a folder whose name has this ending; paths are relative to `root`. */
export function filesUnder(root: string, folder: string, ending: string): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

/** The targets of a page's links: a path relative to the page's folder, and the heading if one is named. */
export function linksIn({
  path,
  text,
}: SourceFile): { written: string; to: string; heading: string | null }[] {
  const prose = text.replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, "").replaceAll(/`[^`\n]*`/g, "");
  const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)];
  const references = [...prose.matchAll(/^\s*\[[^\]]+\]:\s*(\S+)/gm)];
  return [...inline, ...references].flatMap((match) => {
    const written = match[1] ?? "";
    if (/^[a-z][a-z0-9+.-]*:/i.test(written)) return [];
    const [file = "", heading = null] = written.split("#");
    const to = file === "" ? path : normalize(join(dirname(path), decodeURIComponent(file)));
    return [{ written, to, heading }];
  });
}

/** The names under which a page's headings can be linked to, as GitHub makes them. */
export function headingsIn(text: string): Set<string> {
  const prose = text.replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, "");
  return new Set(
    [...prose.matchAll(/^#{1,6}\s+(.+)$/gm)].map((match) =>
      (match[1] ?? "")
        .trim()
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(/\s/g, "-"),
    ),
  );
}
