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
    if (!branch) return [{ path, message: unionSentence(issue) }];
    return branch.flatMap((inner) => explainOne(inner, [...path, ...(inner.path as Path)], value, known));
  }
  return [{ path, message: sentence(issue) }];
}

function sentence(issue: Issue): string {
  if (issue.code === "invalid_type") return `must be ${kinds[issue.expected] ?? issue.expected}`;
  if (issue.code === "invalid_value")
    return `must be ${orList(issue.values.map((each) => JSON.stringify(each)))}`;
  if (issue.code === "too_small") {
    return issue.origin === "string" ? "must not be blank" : `must be at least ${issue.minimum}`;
  }
  if (issue.code === "too_big") {
    return `must be at most ${issue.maximum}${issue.origin === "string" ? " characters" : ""}`;
  }
  if (issue.code === "invalid_key") return issue.issues[0] ? sentence(issue.issues[0]) : "has a bad name";
  return issue.message;
}

function unknownSetting(key: string, known: readonly string[]): string {
  const suggestion = nearest(key, known);
  const name = key.length > 80 || /[\p{C}`]/u.test(key) ? "" : ` \`${key}\``;
  return `unknown setting${name}${suggestion ? `; did you mean \`${suggestion}\`?` : ""}`;
}

const isOtherKind = (issue: Issue): boolean =>
  issue.path.length === 0 && (issue.code === "invalid_type" || issue.code === "invalid_value");

/** The branch of a union that fits the kind of value that was written, if any. */
const meantBranch = (branches: readonly Issue[][]): Issue[] | undefined =>
  branches.find((issues) => !issues.some(isOtherKind));

function unionSentence({ message, errors }: z.core.$ZodIssueInvalidUnion): string {
  if (message.startsWith("must ")) return message;
  const words = errors.flatMap(([issue]) =>
    issue?.code === "invalid_type" ? [kinds[issue.expected] ?? issue.expected] : [],
  );
  return `must be ${orList([...new Set(words)])}`;
}

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
