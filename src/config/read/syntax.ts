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
  InvalidSymbol: "a word needs double quotes; only true, false, null and numbers stand without",
  InvalidNumberFormat: "this is not a number",
  PropertyNameExpected: "a setting's name in double quotes belongs here",
  ValueExpected: "a value belongs here",
  ColonExpected: "a colon is missing before this",
  CommaExpected: "a comma is missing before this",
  CloseBraceExpected: "a closing } is missing before this",
  CloseBracketExpected: "a closing ] is missing before this",
  EndOfFileExpected: "nothing may follow the closing }: is there one } too many before this?",
  InvalidCommentToken: "a comment cannot stand here",
  UnexpectedEndOfComment: "the comment has no end",
  UnexpectedEndOfString: "this text has no closing quote: add it, on the same line",
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
  const end = text.trimEnd().length;
  const findings = withoutConsequences(text, errors).map(({ error, offset }) => ({
    path: [],
    message: offset >= end ? endsTooEarly : sentenceAt(text, offset, printParseErrorCode(error)),
    offset,
  }));
  if (findings.length > 0) return { ok: false, findings: firstOfEachOffset(findings) };
  return root ? { ok: true, root } : fail("a value was expected", 0);
}

const endsTooEarly = "the file ends before everything is closed: a } or ] is missing";

function sentenceAt(text: string, offset: number, code: string): string {
  const first = text[offset] ?? "";
  if (code === "InvalidSymbol" && "“”„‟«»″".includes(first))
    return `${first} is a typographic quote, not a plain one: write " around names and texts`;
  if (code === "InvalidSymbol" && "'‘’‚`′".includes(first))
    return `${first} is not a double quote: write " around names and texts`;
  return sentences[code] ?? "this is not valid JSON";
}

/** After a word without quotes the parser is out of step: what it misses on the rest of that line says nothing. */
function withoutConsequences(text: string, errors: readonly ParseError[]): ParseError[] {
  let wordAt = -1;
  return errors.filter(({ error, offset }) => {
    if (printParseErrorCode(error) === "InvalidSymbol") wordAt = offset;
    else if (wordAt !== -1 && !/[\r\n]/.test(text.slice(wordAt, offset))) return false;
    return true;
  });
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
