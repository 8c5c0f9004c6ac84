// Turns the issues of the schema into plain messages, each for the setting that has to be changed.
import type { z } from "zod";
import { nearest } from "../../core/nearest.ts";
import type { Finding, Path } from "../problem.ts";

type Issue = z.core.$ZodIssue;

const kinds: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

/** `value` is what was checked; `known` lists the settings that an object can have. */
export function explain(
  issues: readonly Issue[],
  value: unknown,
  known: (path: Path) => string[],
): Finding[] {
  return issues.flatMap((issue) => explainOne(issue, issue.path as Path, value, known));
}

function explainOne(issue: Issue, path: Path, value: unknown, known: (path: Path) => string[]): Finding[] {
  if (issue.code === "unrecognized_keys") {
    const names = known(path);
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownSetting(key, names) }));
  }
  if (valueAt(value, path) === undefined) return [{ path, message: "is missing" }];
  if (issue.code === "invalid_union") {
    const branch = meantBranch(issue.errors);
    // Each name belongs to a branch, but not all of them to one.
    const isMixed = branch !== undefined && unknownIn(branch).some((key) => known(path).includes(key));
    if (!branch || isMixed) return [{ path, message: unionSentence(issue) }];
    return branch.flatMap((inner) => explainOne(inner, [...path, ...(inner.path as Path)], value, known));
  }
  return [{ path, message: sentence(issue) }];
}

function sentence(issue: Issue): string {
  if (issue.code === "invalid_type") return `must be ${kinds[issue.expected] ?? issue.expected}`;
  if (issue.code === "invalid_value")
    return `must be ${orList(issue.values.map((each) => JSON.stringify(each)))}`;
  if (issue.code === "too_small") return tooSmall(issue);
  if (issue.code === "too_big")
    return `must ${issue.origin === "array" ? "have" : "be"} at most ${counted(issue.maximum, issue)}`;
  if (issue.code === "invalid_key") return issue.issues[0] ? sentence(issue.issues[0]) : "has a bad name";
  return issue.message;
}

function tooSmall(issue: z.core.$ZodIssueTooSmall): string {
  if (issue.origin === "string" && issue.minimum === 1) return "must not be blank";
  if (issue.origin === "array" && issue.minimum === 1)
    return "must not be an empty list: name at least one value, or leave the setting out";
  return `must ${issue.origin === "array" ? "have" : "be"} at least ${counted(issue.minimum, issue)}`;
}

/** A limit with what it counts. */
function counted(limit: number | bigint, { origin }: { origin: string }): string {
  if (origin === "string") return `${limit} characters`;
  return origin === "array" ? `${limit} values` : String(limit);
}

function unknownSetting(key: string, known: readonly string[]): string {
  const suggestion = nearest(key, known);
  const name = key.length > 80 || /[\p{C}`]/u.test(key) ? "" : ` \`${key}\``;
  return `unknown setting${name}${suggestion ? `; did you mean \`${suggestion}\`?` : ""}`;
}

const isOtherKind = (issue: Issue): boolean =>
  issue.path.length === 0 &&
  (issue.code === "invalid_type" ||
    issue.code === "invalid_value" ||
    (issue.code === "invalid_union" && !meantBranch(issue.errors)));

/**
 * The branch of a union that fits what was written, if any: its kind, and of several branches the one with most of its
 * names. Without names that tell them apart it is none.
 */
function meantBranch(branches: readonly Issue[][]): Issue[] | undefined {
  const fitting = branches.filter((issues) => !issues.some(isOtherKind));
  const [best, other] = fitting.toSorted((a, b) => unknownIn(a).length - unknownIn(b).length);
  const isEither = best && other && unknownIn(best).length === 0 && unknownIn(other).length === 0;
  return isEither ? undefined : best;
}

const unknownIn = (issues: readonly Issue[]): string[] =>
  issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" && issue.path.length === 0 ? issue.keys : [],
  );

function unionSentence({ message, errors }: z.core.$ZodIssueInvalidUnion): string {
  if (message.startsWith("must ")) return message;
  return `must be ${orList([...new Set(kindsIn(errors))])}`;
}

const kindsIn = (branches: readonly Issue[][]): string[] =>
  branches.flatMap(([issue]) => {
    if (issue?.code === "invalid_union") return kindsIn(issue.errors);
    if (issue?.code === "invalid_value") return issue.values.map((each) => JSON.stringify(each));
    return issue?.code === "invalid_type" ? [kinds[issue.expected] ?? issue.expected] : [];
  });

const orList = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

function valueAt(value: unknown, path: Path): unknown {
  let at: unknown = value;
  for (const part of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Record<string | number, unknown>)[part];
  }
  return at;
}
