// Reading the layout: the table of folders in ARCHITECTURE.md, and what the sources import.
import { dirname, join, normalize } from "node:path";
import type { SourceFile } from "./docs.ts";

/** Each folder with the others that it may import. */
export type Layout = ReadonlyMap<string, ReadonlySet<string>>;

/** Every folder may import `core`, but for those whose row says "nothing". */
export function layoutIn(page: string): Layout {
  const [, rest = ""] = page.split(/^\| Folder \|.*\n\|[-| ]+\n/m);
  const rows = rest.split("\n");
  const end = rows.findIndex((row) => !row.startsWith("|"));
  return new Map(rows.slice(0, end === -1 ? undefined : end).flatMap(readRow));
}

function readRow(row: string): [string, Set<string>][] {
  const [, names = "", , imports = ""] = row.split("|").map((cell) => cell.trim());
  const words = imports.split(/[,\s–]+/).filter((word) => word !== "");
  const allowed = imports === "nothing" ? [] : ["core", ...words];
  return names.split(/,\s*/).map((name) => [name, new Set(allowed.filter((each) => each !== name))]);
}

/** `src/store/programs/runs.ts` is in `store`, `src/main.ts` in `main`. */
export const folderOf = (path: string): string => (path.split("/")[1] ?? "").replace(/\.ts$/, "");

const importShapes = [
  /^\s*(?:import|export)\b[^"';]*?\bfrom\s*["']([^"']+)["']/gm,
  /^\s*import\s*["']([^"']+)["']/gm,
  /\bimport\s*\(\s*["']([^"']+)["']\s*\)/g,
  /\bnew URL\(\s*["'`](\.[^"'`]+?\.)(?:[jt]s|\$\{\w+\})["'`]\s*,\s*import\.meta\.url/g,
];

/** The files of ours that a file imports, as paths from the same root as its own; type imports too. */
export function importsOf({ path, text }: SourceFile): string[] {
  const code = text.replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, "");
  const found = importShapes.flatMap((shape) => [...code.matchAll(shape)].map((match) => match[1] ?? ""));
  const own = found.filter((specifier) => specifier.startsWith("."));
  return [
    ...new Set(own.map((specifier) => normalize(join(dirname(path), specifier.replace(/\.$/, ".ts"))))),
  ];
}

export function importFaults(files: readonly SourceFile[], layout: Layout): string[] {
  return files.flatMap((file) => {
    const folder = folderOf(file.path);
    const allowed = layout.get(folder);
    if (!allowed) return [`${file.path} is in the folder ${folder}, which the table does not have`];
    return importsOf(file).flatMap((imported) => {
      if (!imported.startsWith("src/")) return [`${file.path} imports ${imported}, outside of src`];
      const other = folderOf(imported);
      return other === folder || allowed.has(other)
        ? []
        : [`${file.path} may not import from ${other} (${imported})`];
    });
  });
}

/** Permissions in the table that no file uses. `core` is always allowed. */
export function unusedPermissions(files: readonly SourceFile[], layout: Layout): string[] {
  const used = new Set(
    files.flatMap((file) =>
      importsOf(file).map((imported) => `${folderOf(file.path)} ${folderOf(imported)}`),
    ),
  );
  return [...layout].flatMap(([folder, allowed]) =>
    [...allowed]
      .filter((other) => other !== "core" && !used.has(`${folder} ${other}`))
      .map((other) => `${folder} may import ${other} and does not`),
  );
}

/** Files under `src/` that are neither a source, a contract nor a test. */
export const strayFiles = (paths: readonly string[]): string[] =>
  paths.filter(
    (path) => !/^src\/(?:[a-z0-9-]+\/)*[a-z0-9-]+(?:\.contract|(?:\.[a-z0-9-]+)?\.test)?\.ts$/.test(path),
  );

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Each cycle of files once, as the files on it. */
export const fileCycles = (files: readonly SourceFile[]): string[][] =>
  cyclesIn(new Map(files.map((file) => [file.path, new Set(importsOf(file))])));

/**
 * Each cycle of folders once. A folder's own files are its entry points and its shared types, so they may import its
 * subfolders and be imported by them.
 */
export function folderCycles(files: readonly SourceFile[]): string[][] {
  const graph = new Map<string, Set<string>>();
  const isWithin = (inner: string, outer: string) => `${inner}/`.startsWith(`${outer}/`);
  for (const file of files) {
    const from = dirname(file.path);
    for (const to of importsOf(file).map((each) => dirname(each))) {
      if (isWithin(from, to) || isWithin(to, from)) continue;
      graph.set(from, (graph.get(from) ?? new Set()).add(to));
    }
  }
  return cyclesIn(graph);
}

function cyclesIn(graph: Graph): string[][] {
  const done = new Set<string>();
  const cycles: string[][] = [];
  const visit = (node: string, trail: readonly string[]): void => {
    const at = trail.indexOf(node);
    if (at !== -1) return void cycles.push([...trail.slice(at), node]);
    if (done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...trail, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return cycles;
}
