// Removes what the schema refused, so that the rules can check the rest and all problems are reported at once.
import type { z } from "zod";
import type { Finding, Path } from "../problem.ts";
import { formatPath, pathSet } from "../problem.ts";

export type Salvaged<T> = {
  /** Null when nothing is left. */
  rest: T | null;
  /** Gives a finding about the rest its path in the original value. */
  restore: (finding: Finding) => Finding;
};

type Issue = z.core.$ZodIssue;
type Container = Record<string | number, unknown>;

/** With more, the file is something else, and what is left of it says nothing. */
const mostRefused = 1000;

const nothingLeft: Salvaged<never> = { rest: null, restore: (finding) => finding };

export function salvage<T>(schema: z.ZodType<T>, value: unknown, issues: readonly Issue[]): Salvaged<T> {
  const rest = structuredClone(value);
  const removed = new Map<string, number[]>();
  let refused = issues;
  if (issues.flatMap(refusedPaths).length > mostRefused) return nothingLeft;
  for (;;) {
    const targets = refused.flatMap(refusedPaths).map((path) => existing(rest, path));
    if (targets.some((path) => path.length === 0)) return nothingLeft;
    for (const path of outermost(targets).toSorted(lastFirst)) remove(rest, path, removed);
    const parsed = schema.safeParse(rest);
    if (parsed.success) return { rest: parsed.data, restore: restoreWith(removed) };
    refused = parsed.error.issues;
  }
}

export const refusedPaths = (issue: Issue): Path[] =>
  issue.code === "unrecognized_keys"
    ? issue.keys.map((key) => [...(issue.path as Path), key])
    : [issue.path as Path];

/** The setting itself or, where a required one is missing, its nearest parent. */
function existing(root: unknown, path: Path): Path {
  const container = path
    .slice(0, -1)
    .reduce<unknown>((at, part) => (isContainer(at) ? at[part] : undefined), root);
  const last = path.at(-1);
  if (last === undefined || (isContainer(container) && Object.hasOwn(container, last))) return path;
  return existing(root, path.slice(0, -1));
}

function outermost(paths: readonly Path[]): Path[] {
  const distinct = [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
  const all = pathSet(distinct);
  return distinct.filter((path) => !all.hasParent(path));
}

/** Sorts list items from the back, so that removing one does not move another that is still to be removed. */
function lastFirst(left: Path, right: Path): number {
  for (const [at, part] of left.entries()) {
    const other = right[at];
    if (other === undefined) return -1;
    if (part === other) continue;
    if (typeof part === "number" && typeof other === "number") return other - part;
    return String(part) < String(other) ? -1 : 1;
  }
  return 0;
}

function remove(root: unknown, path: Path, removed: Map<string, number[]>): void {
  const around = path.slice(0, -1);
  const container = around.reduce<unknown>((at, part) => (isContainer(at) ? at[part] : undefined), root);
  const last = path.at(-1);
  if (!isContainer(container) || last === undefined) return;
  if (!Array.isArray(container)) {
    delete container[last];
    return;
  }
  container.splice(Number(last), 1);
  const name = formatPath(around);
  const indices = removed.get(name) ?? [];
  indices.push(Number(last));
  removed.set(name, indices);
}

const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

/** Maps indices back, in reverse order of the removals. */
const restoreWith =
  (removed: ReadonlyMap<string, readonly number[]>) =>
  (finding: Finding): Finding => {
    const path = finding.path.map((part, at) => {
      if (typeof part !== "number") return part;
      const gone = removed.get(formatPath(finding.path.slice(0, at))) ?? [];
      return gone.toReversed().reduce((index, each) => (each <= index ? index + 1 : index), part);
    });
    return { ...finding, path };
  };
