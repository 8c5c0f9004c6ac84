// Parses the text of a config file into a tree whose nodes have offsets, or into problems.
import {
  createScanner,
  type Node,
  parseTree,
  type ParseError,
  printParseErrorCode,
  stripComments,
} from "jsonc-parser";
import { deepestNesting } from "../../core/json.ts";
import type { Finding, Path, Problem } from "../problem.ts";
import { formatPath } from "../problem.ts";

const sentences: Record<string, string> = {
  InvalidSymbol: "this word cannot stand here; texts need double quotes",
  InvalidNumberFormat: "this is not a number",
  PropertyNameExpected: "a setting's name in double quotes was expected",
  ValueExpected: "a value was expected",
  ColonExpected: "a colon was expected",
  CommaExpected: "a comma was expected",
  CloseBraceExpected: "a closing } was expected",
  CloseBracketExpected: "a closing ] was expected",
  EndOfFileExpected: "nothing more was expected after the closing }",
  InvalidCommentToken: "a comment cannot stand here",
  UnexpectedEndOfComment: "the comment has no end",
  UnexpectedEndOfString: "the text has no closing quote",
  UnexpectedEndOfNumber: "the number is not complete",
  InvalidUnicode: "the \\u escape is not complete",
  InvalidEscapeCharacter: "the escape after the backslash is not known",
  InvalidCharacter: "this character cannot stand here; write it as an escape",
};

export type Syntax = { ok: true; root: Node } | { ok: false; findings: Finding[] };

export function parseSyntax(text: string): Syntax {
  const tooDeep = tooDeepOffset(text);
  if (tooDeep !== null) return fail("brackets are nested too deep", tooDeep);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (stripComments(text).trim() === "") return fail("the file is empty: {} is the least it can hold", 0);
  const findings = errors.map(({ error, offset }) => ({
    path: [],
    message: sentences[printParseErrorCode(error)] ?? "this is not valid JSON",
    offset,
  }));
  if (findings.length > 0) return { ok: false, findings: firstOfEachOffset(findings) };
  return root ? { ok: true, root } : fail("a value was expected", 0);
}

const fail = (message: string, offset: number): Syntax => ({
  ok: false,
  findings: [{ path: [], message, offset }],
});

function firstOfEachOffset<F extends { offset: number }>(findings: readonly F[]): F[] {
  const seen = new Set<number>();
  return findings.filter(({ offset }) => seen.size < seen.add(offset).size);
}

/** The offset at which the nesting passes its limit. Checked before parsing, because the parser recurses. */
function tooDeepOffset(text: string): number | null {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const at = scanner.getTokenOffset();
    const bracket = scanner.getTokenLength() === 1 ? text[at] : "";
    if (bracket === "{" || bracket === "[") depth++;
    else if (bracket === "}" || bracket === "]") depth--;
    if (depth > deepestNesting) return at;
  }
  return null;
}

/** The offsets of settings in the text. */
export type Offsets = Map<string, number>;

export const offsetKey = (path: Path): string => JSON.stringify(path);

/** The offset of a setting or, when it is missing, of its nearest parent. */
function offsetOf(offsets: Offsets, path: Path): number {
  const found = offsets.get(offsetKey(path));
  return found ?? (path.length === 0 ? 0 : offsetOf(offsets, path.slice(0, -1)));
}

export type Locate = (finding: Finding) => Problem;

/** Turns findings into problems with line and column. */
export function locateIn(text: string, offsets: Offsets): Locate {
  const lineStarts = [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map((end) => end.index + end[0].length)];
  return ({ path, message, offset }) => {
    const at = offset ?? offsetOf(offsets, path);
    const line = lastAtMost(lineStarts, at);
    return { path: formatPath(path), message, line: line + 1, column: at - (lineStarts[line] ?? 0) + 1 };
  };
}

/** The index of the last number in an ascending list that is not above the limit. */
function lastAtMost(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((ascending[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}
