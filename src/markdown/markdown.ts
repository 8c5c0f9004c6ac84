// Writes Markdown again: text that was no markup in the reply must be none in the message.

import { fenced, headingAsBold, endsInWord, joinLines, plain, startsWithWord } from "./dialects.ts";
import { fitEmphasis, type Run, type Style } from "./emphasis.ts";
import { isBare } from "./links.ts";
import type { Align, Line, Span } from "./model.ts";
import type { Around, Block, Voice } from "./write.ts";

/** Discord and Teams. Discord has three levels of headings. */
export const markdown: Voice = {
  ...plain,
  fit: (spans, form) =>
    fitMarkdown(form.kind === "heading" && form.level > 3 ? headingAsBold(spans, form) : spans),
  text: (text, inLink) => escapeText(text, inLink, /[\\`*_~|[\]<&]/g),
  code: inlineCode,
  mark: markOf,
  link: linkOf,
  block: blockOf,
  marker: ({ marker, task }) => marker + (task === null ? "" : task ? "[x] " : "[ ] "),
  fence: fenced,
  join: (blocks) => joinLines(withoutMargin(blocks), (line) => line.lead),
};

/** Mattermost. Its parser has no escape for `<` and `&`, and needs none. */
export const markdownWithTables: Voice = {
  ...markdown,
  text: (text, inLink) => escapeText(text, inLink, /[\\`*_~|[\]]/g),
  fence: longFence,
  table: tableRows,
};

/** Parsers disagree on marks between a letter and punctuation, or beside the same mark, so those are dropped. */
function fitMarkdown(spans: readonly Span[]): Span[] {
  return fitEmphasis(spans, ({ before, text, after, first, last }: Run, style) => {
    const opens =
      (!isMarked(first) && !/^[\p{P}\p{S}]/u.test(text)) || /(?:^|[\s!-/:-@[-`{-~])$/.test(before);
    const closes = (!isMarked(last) && !/[\p{P}\p{S}]$/u.test(text)) || /^(?:$|[\s!-/:-@[-`{-~])/.test(after);
    const edgy = /^[*_~]|[*_~]$/.test(text);
    const inWord = endsInWord(before) || startsWithWord(after);
    return opens && closes && !edgy && !(style === "italic" && first.bold && inWord);
  });
}

function isMarked(span: Span): boolean {
  return span.code || span.link !== null;
}

function escapeText(text: string, inLink: boolean, special: RegExp): string {
  return text.replace(special, (character, at: number) => {
    if (character === "[" || (inLink && character === "]")) return inLink ? `\\${character}` : character;
    return needsEscape(character, text.slice(Math.max(0, at - 2), at), text.slice(at + 1, at + 12))
      ? `\\${character}`
      : character;
  });
}

function needsEscape(character: string, before: string, ahead: string): boolean {
  const after = ahead[0] ?? "";
  switch (character) {
    case "\\":
      return after === "" || /[!-/:-@[-`{-~]/.test(after);
    case "_":
      return before.endsWith("_") || after === "_" || !endsInWord(before) || !startsWithWord(ahead);
    case "*":
      return !/\s$/.test(before) || !/\s/.test(after);
    case "|":
      return before === "" || after === "" || before.endsWith("|") || after === "|";
    case "]":
      return after === "" || /[([:]/.test(after);
    case "<":
      return !/[\s=<\d]/.test(after);
    case "&":
      return /^#?\w{1,10};/.test(ahead);
    default:
      return true;
  }
}

/** Escapes a start that would make the line a heading, list, quote, table or task. */
function escapeStart(content: string): string {
  return content
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, "$1\\$2")
    .replace(/^(?=[>|]|#{1,6}(?:\s|$)|[-+](?:[\s#-]|$)|=+\s*$|:?-+(?:[\s:|]|$)|\[[ xX]\](?:\s|$))/, "\\");
}

function inlineCode(text: string): string {
  const runs = new Set((text.match(/`+/g) ?? []).map((run) => run.length));
  let count = 1;
  while (runs.has(count)) count += 1;
  const padding = /^`|`$|^ .* $/.test(text) && text.trim() !== "" ? " " : "";
  return `${"`".repeat(count)}${padding}${text}${padding}${"`".repeat(count)}`;
}

function markOf(inner: string, style: Style, { before, after }: Around): string {
  const italic = endsInWord(before) || startsWithWord(after) ? "*" : "_";
  const mark = { bold: "**", italic, strike: "~~" }[style];
  return `${mark}${inner}${mark}`;
}

function linkOf(inner: string, address: string, label: string, { before, after, inside }: Around): string {
  if (isBare(label, address) && !inside && /^[.,;:?!)]*(?:\s|$)/.test(after)) return label;
  if (isBare(label, address) && /^https?:/i.test(label)) return `<${address}>`;
  const apart = before.endsWith("!") ? " " : "";
  return `${apart}[${inner}](${address.replace(/[()[\]]/g, encodeBracket)})`;
}

function encodeBracket(bracket: string): string {
  return `%${bracket.charCodeAt(0).toString(16).toUpperCase()}`;
}

function blockOf(content: string, line: Line): string {
  if (line.form.kind === "rule") return "---";
  if (line.form.kind === "heading" && line.form.level <= 3) {
    return `${"#".repeat(line.form.level)} ${content.replace(/(^|\s)(#+)$/, "$1\\$2")}`;
  }
  return escapeStart(content) + (line.hardBreak ? "  " : "");
}

/**
 * A message that starts in the middle of a list must not start with so many spaces that they mean code, and the next
 * item, with any number, must not be read as more of the text.
 */
function withoutMargin(blocks: readonly Block[]): readonly Block[] {
  if (!blocks[0]?.first.lead.startsWith(" ")) return blocks;
  const nextItem = blocks.findIndex((block) => block.first.marker !== "");
  let margin = Number.MAX_SAFE_INTEGER;
  return blocks.map((block, index) => {
    const { lead, gap } = block.first;
    margin = Math.min(margin, lead.search(/[^ ]|$/));
    return { ...block, first: { ...block.first, lead: lead.slice(margin), gap: gap || index === nextItem } };
  });
}

function longFence(rows: readonly string[], language: string): string[] {
  const longest = rows
    .flatMap((row) => row.match(/`+/g) ?? [])
    .reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return [fence + language, ...rows, fence];
}

/** The rows of a table that goes on from the message before have its header above them once more. */
function tableRows(rows: readonly Line[], write: (spans: readonly Span[]) => string): string[] {
  const form = rows[0]!.form;
  if (form.kind !== "table") return [];
  const row = (cells: readonly Span[][]) =>
    `| ${cells.map((cell) => write(cell).replace(/(?<!\\)\|/g, "\\|")).join(" | ")} |`;
  const body = rows[0]!.cells === form.header ? rows.slice(1) : rows;
  return [
    row(form.header),
    `|${form.align.map(delimiter).join("|")}|`,
    ...body.map((line) => row(line.cells ?? [])),
  ];
}

function delimiter(align: Align): string {
  return { left: " :-- ", right: " --: ", center: " :-: " }[align ?? "left"].replace(
    ":",
    align === null ? "-" : ":",
  );
}
