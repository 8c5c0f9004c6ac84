// A problem with the configuration: where it is and what to do about it. Values are never shown, they may be secret.

export type Problem = { path: string; message: string; line?: number; column?: number };

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

export const startsWith = (path: Path, start: Path): boolean =>
  start.length <= path.length && start.every((part, index) => part === path[index]);

/** The first at each place: the others follow from it. */
export function onePerPlace(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ path }) => {
    const place = JSON.stringify(path);
    return seen.size < seen.add(place).size;
  });
}

/** Those of `later` whose place is not spoken for: one problem at a place is enough. */
export const elsewhere = (later: readonly Finding[], earlier: readonly Finding[]): Finding[] =>
  later.filter((finding) => !earlier.some(({ path }) => path.length > 0 && startsWith(finding.path, path)));
