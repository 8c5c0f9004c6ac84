// Block tokens become lines.

import type { Token, Tokens } from "marked";
import { spansOf } from "./inline.ts";
import { spellOutLinks } from "./links.ts";
import {
  PLAIN,
  TEXT,
  lineOf,
  mergeSpans,
  textLine,
  quoteDepth,
  textOf,
  type Form,
  type Line,
  type Span,
} from "./model.ts";
import { tableLines, type TableStyle } from "./table.ts";

type BlockToken =
  | Tokens.Heading
  | Tokens.Hr
  | Tokens.Code
  | Tokens.Blockquote
  | Tokens.List
  | Tokens.Table
  | Tokens.Paragraph
  | Tokens.Text
  | Tokens.Def
  | Tokens.HTML
  | Tokens.Checkbox;

/** Replaces parts that the dialect cannot express: links by their addresses, tables by code or rows. */
export type Layout = { readonly links: "kept" | "spelled"; readonly tables: TableStyle };

/** Behind a number. One ordered list right after another has the other one; else both would be read as one list. */
type Delimiter = ". " | ") ";

const LONGEST_LEAD = 30;

export function linesOf(tokens: readonly Token[], layout: Layout): Line[] {
  const lines: Line[] = [];
  let gap = false;
  let before: Delimiter | null = null;
  for (const token of tokens as (BlockToken | Tokens.Space)[]) {
    if (token.type === "space") {
      gap = true;
      continue;
    }
    const delimiter: Delimiter = before === ". " ? ") " : ". ";
    const [first, ...others] = linesOfBlock(token, layout, delimiter);
    if (first) before = token.type === "list" && token.ordered ? delimiter : null;
    if (first) lines.push({ ...first, gap: gap || needsGap(lines.at(-1), first) });
    for (const other of others) lines.push(other);
    gap = first ? false : gap;
  }
  return lines;
}

/** Whether Markdown would otherwise join the two lines. */
function needsGap(before: Line | undefined, line: Line): boolean {
  return (
    line.form.kind === "rule" ||
    line.form.kind === "table" ||
    before?.form.kind === "table" ||
    (before?.form.kind === "heading" && before.form.level > 3) ||
    (before !== undefined && line.marker !== "" && line.spans.length === 0) ||
    (before !== undefined && quoteDepth(before) !== quoteDepth(line))
  );
}

function linesOfBlock(token: BlockToken, layout: Layout, delimiter: Delimiter): Line[] {
  switch (token.type) {
    case "heading":
      return inlineLines(token.tokens, { kind: "heading", level: token.depth }, layout);
    case "hr":
      return [lineOf({ kind: "rule" }, [], true)];
    case "code":
      return codeLines(token.text, token.lang ?? "");
    case "blockquote":
      return linesOf(token.tokens, layout).map((line) => inside(line, "> "));
    case "list":
      return token.items.flatMap((item, index) => {
        const marker = token.ordered ? `${Number(token.start) + index}${delimiter}` : "- ";
        return itemLines(item, marker, token.loose && index > 0, layout);
      });
    case "table":
      return tableLines(token, layout.tables, (cell) => inlineSpans(cell, layout));
    case "paragraph":
    case "text":
      return inlineLines(token.tokens ?? [asText(token.text)], TEXT, layout);
    case "def":
    case "html":
      return inlineLines([asText(token.raw)], TEXT, layout);
    case "checkbox":
      return [];
  }
}

function asText(text: string): Tokens.Escape {
  return { type: "escape", raw: text, text: text.trim() };
}

export function codeLines(text: string, info: string): Line[] {
  const language = /^[\w+.#-]{1,20}(?=\s|$)/.exec(info)?.[0] ?? "";
  const form: Form = { kind: "code", language };
  return text.split("\n").map((line) => lineOf(form, line === "" ? [] : [{ ...PLAIN, text: line }], false));
}

function itemLines(item: Tokens.ListItem, marker: string, gap: boolean, layout: Layout): Line[] {
  const inner = linesOf(item.tokens, layout);
  const first = inner[0];
  const takesMarker = first?.form.kind === "text" && first.marker === "" && first.lead === "";
  const lines = takesMarker
    ? inner
    : [textLine("", false), ...inner.map((line, at) => (at === 0 ? { ...line, gap: false } : line))];
  return lines.map((line, at) =>
    at === 0
      ? { ...line, marker, task: item.task ? item.checked === true : null, gap }
      : inside(line, " ".repeat(marker.length)),
  );
}

function inside(line: Line, lead: string): Line {
  return line.lead.length + lead.length > LONGEST_LEAD ? line : { ...line, lead: lead + line.lead };
}

function inlineSpans(tokens: readonly Token[], layout: Layout): Span[] {
  const spans = mergeSpans(spansOf(tokens));
  return layout.links === "spelled" ? spellOutLinks(spans) : spans;
}

/** One line for each line of the source: chats keep the author's line breaks. */
function inlineLines(tokens: readonly Token[], form: Form, layout: Layout): Line[] {
  const rows: Span[][] = [[]];
  for (const span of inlineSpans(tokens, layout)) {
    for (const [index, text] of span.text.split("\n").entries()) {
      if (index > 0) rows.push([]);
      rows.at(-1)!.push({ ...span, text });
    }
  }
  return rows
    .map((spans) => ({ ...lineOf(form, trimSpans(spans), false), hardBreak: textOf(spans).endsWith("  ") }))
    .filter((line) => line.spans.length > 0);
}

export function trimSpans(spans: readonly Span[]): Span[] {
  const kept = mergeSpans(spans);
  while (kept[0] && !kept[0].code && kept[0].text.trimStart() === "") kept.shift();
  while (kept.at(-1) && !kept.at(-1)!.code && kept.at(-1)!.text.trimEnd() === "") kept.pop();
  const first = kept[0];
  if (first && !first.code) kept[0] = { ...first, text: first.text.trimStart() };
  const last = kept.at(-1);
  if (last && !last.code) kept[kept.length - 1] = { ...last, text: last.text.trimEnd() };
  return kept;
}
