// Reading our own sources and pages: the table of rooms, imports, links.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export type SourceFile = { path: string; text: string };
export type Rooms = ReadonlyMap<string, ReadonlySet<string>>;

/** The rows of the table whose heads are Room, what lives there, May import. */
export function roomsIn(page: string): Rooms {
  const [, ...lines] = page.split(/^\| Room \|.*\n\|[-| ]+\n/m);
  const rows = (lines[0] ?? "").split("\n");
  const end = rows.findIndex((row) => !row.startsWith("|"));
  return new Map(
    rows.slice(0, end === -1 ? undefined : end).map((row) => {
      const cells = row.split("|").map((cell) => cell.trim());
      const allowed = (cells[3] ?? "").split(/[,\s–]+/).filter((word) => word !== "");
      return [cells[1] ?? "", new Set(allowed)];
    }),
  );
}

/** `src/store/programs/runs.ts` is in `store`, `src/gateway/gateway.ts` in `gateway`. */
export const roomOf = (path: string): string => (path.split("/")[1] ?? "").replace(/\.ts$/, "");

const importShapes = [
  /^\s*(?:import|export)\b[^"';]*?\bfrom\s*["']([^"']+)["']/gm,
  /^\s*import\s*["']([^"']+)["']/gm,
  /\bimport\s*\(\s*["']([^"']+)["']\s*\)/g,
  /\bnew URL\(\s*["'](\.[^"']+\.[jt]s)["']\s*,\s*import\.meta\.url/g,
];

/** The files of ours that a file imports, as paths from the same place as its own; type imports too. */
export function importsOf({ path, text }: SourceFile): string[] {
  const code = text.replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, "");
  const found = importShapes.flatMap((shape) => [...code.matchAll(shape)].map((match) => match[1] ?? ""));
  const own = found.filter((specifier) => specifier.startsWith("."));
  return [...new Set(own.map((specifier) => normalize(join(dirname(path), specifier))))];
}

export function roomFaults(files: readonly SourceFile[], rooms: Rooms): string[] {
  return files.flatMap((file) => {
    const room = roomOf(file.path);
    const allowed = rooms.get(room);
    if (!allowed) return [`${file.path} is in the room ${room}, which the table does not have`];
    return importsOf(file).flatMap((imported) => {
      if (!imported.startsWith("src/")) return [`${file.path} imports ${imported}, outside of src`];
      const other = roomOf(imported);
      return other === room || allowed.has(other)
        ? []
        : [`${file.path} may not import from ${other} (${imported})`];
    });
  });
}

/** Each cycle once, as the files on it. */
export function cyclesIn(files: readonly SourceFile[]): string[][] {
  const imports = new Map(files.map((file) => [file.path, importsOf(file)]));
  const done = new Set<string>();
  const cycles: string[][] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at !== -1) return void cycles.push([...trail.slice(at), path]);
    if (done.has(path)) return;
    for (const next of imports.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return cycles;
}

/** Every file under a folder whose name ends so; paths from `root`. */
export function filesUnder(root: string, folder: string, ending: string): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

/** Where a page's links lead: a path from the same place as the page's own, and the heading when one is named. */
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
