// The test files with properties (fast-check), and whether each property takes its parameters from `cases()`.
import { filesUnder, type SourceFile } from "./docs.ts";

export const propertyFiles = (root: string): SourceFile[] =>
  ["src", "test", "bench"]
    .flatMap((folder) => filesUnder(root, folder, ".test.ts"))
    .filter(({ text }) => /\bfc\.assert\(/.test(text));

/** The lines at which `fc.assert` is called without `cases()`. */
export function withoutCases({ path, text }: SourceFile): string[] {
  return [...text.matchAll(/^( *).*\bfc\.assert\(.*/gm)].flatMap((match) => {
    const [line, indent = ""] = match;
    const end = line.endsWith(");") ? 0 : text.slice(match.index).search(new RegExp(`^${indent}\\);`, "m"));
    const call = text.slice(match.index, match.index + Math.max(end, line.length));
    return call.includes("cases(") ? [] : [`${path}:${text.slice(0, match.index).split("\n").length}`];
  });
}
