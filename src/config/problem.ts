// A problem with the configuration: where it is and what to do about it. Texts are never shown, they may be secret.

export type Problem = { path: string; message: string; line?: number; column?: number };

/** `path: message (line N, column M)`, as far as these are known. */
export function formatProblem({ path, message, line, column }: Problem): string {
  const position = line === undefined ? "" : ` (line ${line}, column ${column ?? 1})`;
  return `${path === "" ? "" : `${path}: `}${message}${position}`;
}

export const problemList = (file: string, problems: readonly Problem[]): string =>
  [`${file} cannot be used:`, ...problems.map((each) => `  ${formatProblem(each)}`)].join("\n");

/** A person mends these first; a file of something else has one for each of its lines. */
const mostProblems = 100;

/** The first of them, and how many more there are. */
export function firstProblems(problems: readonly Problem[]): Problem[] {
  const more = problems.length - mostProblems;
  const rest: Problem[] = more > 0 ? [{ path: "", message: `and ${more} more` }] : [];
  return [...problems.slice(0, mostProblems), ...rest];
}

export type Path = readonly (string | number)[];

/** A problem whose line and column are not known yet; `offset` where it is known already. */
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

/** A set of paths with fast lookups. */
export function pathSet(paths: readonly Path[]) {
  const keys = new Set(paths.map((path) => JSON.stringify(path)));
  const has = (path: Path) => keys.has(JSON.stringify(path));
  /** Whether a parent of this path is in the set. The top level does not count. */
  const hasParent = (path: Path) => path.some((_, length) => length > 0 && has(path.slice(0, length)));
  return { has, hasParent };
}

/** The first finding for each path: the others follow from it. */
export function firstOfEachPath(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ path }) => seen.size < seen.add(JSON.stringify(path)).size);
}

/** The later findings whose path, and every parent of it, has no earlier finding. */
export function elsewhere(later: readonly Finding[], earlier: readonly Finding[]): Finding[] {
  const taken = pathSet(earlier.map(({ path }) => path));
  return later.filter(({ path }) => !taken.has(path) && !taken.hasParent(path));
}
