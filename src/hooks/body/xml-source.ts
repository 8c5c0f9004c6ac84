// What fast-xml-parser would let through is refused here: it takes text outside of the root, unknown entities, a second
// root, a `<` in a value and more. It gets elements, text and CDATA only; all else is left out, so that it is read once.
import { BodyFault } from "./fault.ts";

const mostDepth = 100;
/** Elements and attributes together: with as many, reading takes less than 100 ms. */
const mostNodes = 10_000;

type Reading = {
  readonly source: string;
  readonly patterns: ReturnType<typeof markupPatterns>;
  depth: number;
  nodes: number;
  roots: number;
};

/** Made once for a body: to make them for each tag takes longer than to match them. */
const markupPatterns = () => ({
  instruction: /<\?(?!xml[\s?])[\p{L}_:][\p{L}\p{M}\p{N}_:.-]*(?:[ \t\r\n]|\?>)/iuy,
  start: /<(\/?)[^\s<>/=&"'!?]+/y,
  attribute: /[ \t\r\n]+([^\s<>/=&"']+)[ \t\r\n]*=[ \t\r\n]*(?:"[^"<]*"|'[^'<]*')/y,
  end: /[ \t\r\n]*(\/?)>/y,
});

/** Throws a BodyFault. The names in tags are checked by the parser's validator, and that they match. */
export function cleanXml(source: string): string {
  const reading: Reading = { source, patterns: markupPatterns(), depth: 0, nodes: 0, roots: 0 };
  const control = source.search(/[^\t\n\r -\ufffd]/);
  if (control >= 0) throw malformed(source, control);
  const pieces: string[] = [];
  let at = skipDeclaration(source);
  while (at < source.length) {
    const next = source.indexOf("<", at);
    const begin = next < 0 ? source.length : next;
    pieces.push(readText(reading, at, begin));
    at = begin < source.length ? readMarkup(reading, begin, pieces) : begin;
  }
  if (reading.depth > 0 || reading.roots === 0) throw malformed(source, source.length);
  return pieces.join("");
}

/** It has the position, and nothing of the body. */
export function malformed(source: string, at: number): BodyFault {
  const lines = source.slice(0, at).split(/\r\n?|\n/);
  return malformedAt(lines.length, lines.at(-1)!.length + 1);
}

export function malformedAt(line: number, column: number): BodyFault {
  return new BodyFault(
    `is not well-formed XML, at line ${line}, column ${column}, or uses an entity that XML itself does not have`,
  );
}

/** Where the declaration ends: `<?xml version="1.0" encoding="UTF-8"?>`. */
function skipDeclaration(source: string): number {
  if (!/^<\?xml[ \t\r\n]/.test(source)) return 0;
  const end = endOf(source, 0, "<?", "?>");
  const declared =
    /^<\?xml\s+version\s*=\s*["']1\.\d+["'](?:\s+encoding\s*=\s*["']([\w.-]+)["'])?(?:\s+standalone\s*=\s*["'](?:yes|no)["'])?\s*\?>$/.exec(
      source.slice(0, end),
    );
  if (!declared) throw malformed(source, 0);
  if (!["utf-8", "utf8", "us-ascii"].includes(declared[1]?.toLowerCase() ?? "utf-8"))
    throw new BodyFault("is not in UTF-8");
  return end;
}

function readText({ source, depth }: Reading, begin: number, end: number): string {
  const text = source.slice(begin, end);
  if (depth === 0 && /[^ \t\r\n]/.test(text)) throw malformed(source, begin);
  if (text.includes("]]>")) throw malformed(source, begin + text.indexOf("]]>"));
  checkReferences(source, text, begin);
  return depth === 0 ? "" : text;
}

function readMarkup(reading: Reading, begin: number, pieces: string[]): number {
  const { source, patterns, depth } = reading;
  if (source.startsWith("<!DOCTYPE", begin))
    throw new BodyFault("has a document type (DTD), which is not read");
  if (source.startsWith("<!--", begin)) {
    const end = endOf(source, begin, "<!--", "-->");
    if (source.indexOf("--", begin + 4) !== end - 3) throw malformed(source, begin);
    return end;
  }
  if (source.startsWith("<?", begin)) {
    if (!matchAt(patterns.instruction, source, begin)) throw malformed(source, begin);
    return endOf(source, begin, "<?", "?>");
  }
  if (!source.startsWith("<![CDATA[", begin)) return readTag(reading, begin, pieces);
  if (depth === 0) throw malformed(source, begin);
  const end = endOf(source, begin, "<![CDATA[", "]]>");
  pieces.push(source.slice(begin, end));
  return end;
}

function endOf(source: string, begin: number, opening: string, closing: string): number {
  const at = source.indexOf(closing, begin + opening.length);
  if (at < 0) throw malformed(source, begin);
  return at + closing.length;
}

function readTag(reading: Reading, begin: number, pieces: string[]): number {
  const { source, patterns } = reading;
  const start = matchAt(patterns.start, source, begin);
  if (!start) throw malformed(source, begin);
  const closes = start[1] === "/";
  let at = begin + start[0].length;
  if (!closes) at = readAttributes(reading, at);
  const end = matchAt(patterns.end, source, at);
  if (!end || (closes && (end[1] === "/" || reading.depth === 0))) throw malformed(source, begin);
  at += end[0].length;
  if (closes) reading.depth--;
  else {
    if (reading.depth === 0 && ++reading.roots > 1) throw malformed(source, begin);
    if (reading.depth >= mostDepth) throw new BodyFault(`is deeper than ${mostDepth} levels`);
    if (end[1] === "") reading.depth++;
  }
  // In a value, too, a line end or a tab is a space.
  pieces.push(source.slice(begin, at).replaceAll(/\r\n|[\t\r\n]/g, " "));
  return at;
}

function readAttributes(reading: Reading, begin: number): number {
  const { source } = reading;
  const pattern = reading.patterns.attribute;
  let names: Set<string> | undefined;
  count(reading);
  let at = begin;
  for (let found = matchAt(pattern, source, at); found; found = matchAt(pattern, source, at)) {
    count(reading);
    names ??= new Set();
    if (names.has(found[1]!)) throw malformed(source, at);
    names.add(found[1]!);
    checkReferences(source, found[0], at);
    at += found[0].length;
  }
  return at;
}

function count(reading: Reading): void {
  if (++reading.nodes > mostNodes)
    throw new BodyFault(`has more than ${mostNodes.toLocaleString("en-US")} elements and attributes`);
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

/** The five entities of XML, and numbers of characters that XML may have. */
function checkReferences(source: string, text: string, begin: number): void {
  if (!text.includes("&")) return;
  const unknown = text.search(/&(?!(?:amp|lt|gt|quot|apos|#\d{1,20}|#x[\dA-Fa-f]{1,20});)/);
  if (unknown >= 0) throw malformed(source, begin + unknown);
  for (const { 1: hex, 2: digits, index } of text.matchAll(/&#(?:x([\dA-Fa-f]{1,20})|(\d{1,20}));/g))
    if (!isCharacter(hex === undefined ? Number(digits) : Number.parseInt(hex, 16)))
      throw malformed(source, begin + index);
}

function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d;
  return code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff) && code !== 0xff_fe && code !== 0xff_ff;
}
