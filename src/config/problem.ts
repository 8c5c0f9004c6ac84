// A problem with the configuration: where it is and what to do about it. Values are never shown, they may be secret.

export type Problem = { path: string; message: string; line?: number; column?: number };

/** `path: message (line N, column M)`, as far as these are known. */
export function formatProblem({ path, message, line, column }: Problem): string {
  const place = line === undefined ? "" : ` (line ${line}, column ${column ?? 1})`;
  return `${path === "" ? "" : `${path}: `}${message}${place}`;
}

export const problemList = (file: string, problems: readonly Problem[]): string =>
  [`${file} cannot be used:`, ...problems.map((each) => `  ${formatProblem(each)}`)].join("\n");

export type Path = readonly (string | number)[];

/** A problem before its place in the file is looked up; `offset` when that is known already. */
export type Finding = { path: Path; message: string; offset?: number };

const plainKey = /^[A-Za-z_$][\w$-]*$/;

/** `hooks.mappings[0].match`, or `models["provider/model"]` for keys that are no plain words. */
export function formatPath(path: Path): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (!plainKey.test(part)) text += `[${JSON.stringify(part)}]`;
    else text += text === "" ? part : `.${part}`;
  }
  return text;
}

/** A set of places that answers quickly, however many there are. */
export function placeSet(paths: readonly Path[]) {
  const places = new Set(paths.map((path) => JSON.stringify(path)));
  const has = (path: Path) => places.has(JSON.stringify(path));
  /** Is something around this place in the set? The top level is around everything and does not count. */
  const hasAround = (path: Path) => path.some((_, length) => length > 0 && has(path.slice(0, length)));
  return { has, hasAround };
}

/** The first at each place: the others follow from it. */
export function onePerPlace(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ path }) => seen.size < seen.add(JSON.stringify(path)).size);
}

/** Those of `later` whose place is not spoken for: one problem at a place is enough. */
export function elsewhere(later: readonly Finding[], earlier: readonly Finding[]): Finding[] {
  const taken = placeSet(earlier.map(({ path }) => path));
  return later.filter(({ path }) => !taken.has(path) && !taken.hasAround(path));
}
