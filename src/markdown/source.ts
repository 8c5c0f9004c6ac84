// Bounds how much of a reply is parsed. Some inputs take a Markdown parser time that grows with their square, so
// only as much is parsed as ten messages could hold, and that in sections that have a greatest size.

import type { Limit } from "./measure.ts";

export const MOST_MESSAGES = 10;
const SECTION = 4_000;
const TABLE_SECTION = 64_000;

export type Section =
  | { readonly kind: "prose"; readonly text: string; readonly gapAfter: boolean }
  | { readonly kind: "code"; readonly language: string; readonly text: string };

/** The text to read, cut at a line border, and how many characters come after it. */
export function boundSource(markdown: string, limit: Limit): { source: string; unread: number } {
  const text = clean(markdown);
  const most = mostUnits(text, limit);
  if (text.length <= most) return { source: text, unread: 0 };
  const border = text.lastIndexOf("\n", most);
  const source = text.slice(0, border > most / 2 ? border : most).toWellFormed();
  return { source, unread: text.length - source.length };
}

/** The text of ten messages, and some more for marks that are not shown. */
function mostUnits(text: string, { most, unit }: Limit): number {
  const units = most * MOST_MESSAGES * 1.25 + 4_000;
  const pairs = unit === "codepoints" ? text.slice(0, units * 2).match(/[\uD800-\uDBFF]/g) : null;
  return Math.floor(units) + (pairs?.length ?? 0);
}

function clean(markdown: string): string {
  return markdown
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd();
}

/** Takes out fenced code at the margin; the rest is cut between paragraphs where possible. */
export function sections(source: string): Section[] {
  const found: Section[] = [];
  const lines = source.split("\n");
  let prose: string[] = [];
  const endProse = () => {
    if (prose.length > 0) for (const section of proseSections(prose)) found.push(section);
    prose = [];
  };
  for (let at = 0; at < lines.length; at += 1) {
    const fence = /^(`{3,}(?=[^`]*$)|~{3,})(.*)$/s.exec(lines[at]!);
    if (!fence) {
      prose.push(lines[at]!);
      continue;
    }
    endProse();
    const end = closingLine(lines, at + 1, fence[1]!);
    found.push({ kind: "code", language: fence[2]!.trim(), text: lines.slice(at + 1, end).join("\n") });
    at = end;
  }
  endProse();
  return found;
}

function closingLine(lines: readonly string[], from: number, fence: string): number {
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at]!.trim();
    const closes = line.startsWith(fence) && line === fence[0]!.repeat(line.length);
    if (closes && /^ {0,3}\S/.test(lines[at]!)) return at;
  }
  return lines.length;
}

function proseSections(lines: readonly string[]): Section[] {
  const found: Section[] = [];
  let section: string[] = [];
  let size = 0;
  const end = () => {
    const gapAfter = section.at(-1)?.trim() === "";
    if (section.length > 0) found.push({ kind: "prose", text: section.join("\n"), gapAfter });
    section = [];
    size = 0;
  };
  for (const line of lines) {
    if (size > mostBefore(line, section.at(-1))) end();
    section.push(line);
    size += line.length + 1;
  }
  end();
  return found;
}

function mostBefore(line: string, previous: string | undefined): number {
  if (line.startsWith("|")) return TABLE_SECTION;
  if (line.startsWith(">")) return SECTION / 4;
  if (!/^\S/.test(line)) return SECTION * 2;
  return previous?.trim() === "" ? SECTION / 2 : SECTION;
}

/** Cut at line ends or else between words if there are some in the second half, never inside a surrogate pair. */
export function chunksOf(text: string, most: number): string[] {
  const cut: string[] = [];
  let from = 0;
  while (text.length - from > most) {
    const borders = ["\n", " "].map((space) => text.lastIndexOf(space, from + most - 1) + 1);
    let to = borders.find((border) => border > from + most / 2) ?? from + most;
    if (/[\uDC00-\uDFFF]/.test(text[to]!)) to -= 1;
    cut.push(text.slice(from, to));
    from = to;
  }
  return [...cut, text.slice(from)];
}
