// Turns the issues of the schema into plain messages, each for the setting that has to be changed.
import type { z } from "zod";
import { kindOf } from "../../core/json.ts";
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
    const inside = (key: string) => names.filter((name) => known([...path, name]).includes(key));
    return issue.keys.map((key) => {
      const message = unknownSetting(key, nearest(key, names) ?? belongsIn(key, inside(key)));
      return { path: [...path, key], message };
    });
  }
  const written = valueAt(value, path);
  if (written === undefined) return [{ path, message: "is missing" }];
  if (issue.code === "invalid_union") {
    const branch = meantBranch(issue.errors);
    // Each name belongs to a branch, but not all of them to one.
    const isMixed = branch !== undefined && unknownIn(branch).some((key) => known(path).includes(key));
    if (!branch || isMixed) return [{ path, message: unionSentence(issue, written) }];
    return branch.flatMap((inner) => explainOne(inner, [...path, ...(inner.path as Path)], value, known));
  }
  return [{ path, message: sentence(issue, written) }];
}

function sentence(issue: Issue, written: unknown): string {
  if (issue.code === "invalid_type") return wrongKind(issue.expected, written);
  if (issue.code === "invalid_value") return wrongChoice(issue.values, written);
  if (issue.code === "too_small") return tooSmall(issue, written);
  if (issue.code === "too_big")
    return `must ${issue.origin === "array" ? "have" : "be"} at most ${counted(issue.maximum, issue)}${found(written)}`;
  if (issue.code === "invalid_key")
    return issue.issues[0] ? sentence(issue.issues[0], null) : "has a bad name";
  return issue.message;
}

function wrongKind(expected: string, written: unknown): string {
  const came = typeof written === "number" && isNumeric(expected) ? numberFault(written) : kindOf(written);
  return `must be ${kinds[expected] ?? expected}, not ${came}${remedy(expected, written)}`;
}

const isNumeric = (expected: string): boolean => expected === "number" || expected === "int";
const numberFault = (written: number): string =>
  Number.isFinite(written) ? "one with a fraction" : "one so large";

/** What to do where the value is right and only its form is wrong. */
function remedy(expected: string, written: unknown): string {
  if (expected === "array" && !isObject(written)) return ": put it in [ ]";
  if (expected === "string" && (typeof written === "number" || typeof written === "boolean"))
    return ": put it in double quotes";
  if (typeof written !== "string") return "";
  const isQuoted =
    expected === "boolean"
      ? /^(?:true|false)$/.test(written)
      : isNumeric(expected) && /^-?\d+(?:\.\d+)?$/.test(written);
  return isQuoted ? ": write it without quotes" : "";
}

function wrongChoice(values: readonly unknown[], written: unknown): string {
  const choices = orList(values.map((each) => JSON.stringify(each)));
  const near = typeof written === "string" ? nearest(written, values.map(String)) : null;
  if (near !== null && values.length > 1) return `must be ${choices}; did you mean ${JSON.stringify(near)}?`;
  return `must be ${choices}, not ${typeof written === "string" ? "another text" : kindOf(written)}`;
}

const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A number is no secret. */
const found = (written: unknown): string => (typeof written === "number" ? `, not ${written}` : "");

function tooSmall(issue: z.core.$ZodIssueTooSmall, written: unknown): string {
  if (issue.origin === "string" && issue.minimum === 1) return "must not be blank";
  if (issue.origin === "array" && issue.minimum === 1)
    return "must not be an empty list: name at least one value, or leave the setting out";
  return `must ${issue.origin === "array" ? "have" : "be"} at least ${counted(issue.minimum, issue)}${found(written)}`;
}

/** A limit with what it counts. */
function counted(limit: number | bigint, { origin }: { origin: string }): string {
  if (origin === "string") return `${limit} characters`;
  return origin === "array" ? `${limit} values` : String(limit);
}

/** Written one level too far out. */
const belongsIn = (key: string, objects: readonly string[]): string | null =>
  objects.length === 1 ? `${objects[0]}.${key}` : null;

function unknownSetting(key: string, suggestion: string | null): string {
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

function unionSentence({ message, errors }: z.core.$ZodIssueInvalidUnion, written: unknown): string {
  const expected = message.startsWith("must ") ? message : `must be ${orList([...new Set(kindsIn(errors))])}`;
  // An object or a list may be one of the forms, and then only its content is wrong.
  const isPlain = typeof written !== "object" || written === null;
  return isPlain && expected.startsWith("must be ")
    ? `${expected}, not ${otherThan(errors, written)}`
    : expected;
}

const otherThan = (errors: readonly Issue[][], written: unknown): string => {
  const isForm = typeof written === "string" && kindsIn(errors).some((kind) => kind.startsWith('"'));
  return isForm ? "another text" : kindOf(written);
};

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
