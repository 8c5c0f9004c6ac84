// How each platform writes emphasis, links, code, quotes and lists.

import { fitEmphasis, type Run, type Style } from "./emphasis.ts";
import { mergeSpans, quoteDepth, type Form, type Line, type Span } from "./model.ts";
import type { Block, Voice } from "./write.ts";

export const RULE = "———";

/** Plain text, and the defaults of the other dialects. */
export const plain: Voice = {
  fit: (spans) => mergeSpans(spans.map((span) => ({ ...span, bold: false, italic: false, strike: false }))),
  text: (text) => text,
  code: (text) => text,
  mark: (inner) => inner,
  link: (inner) => inner,
  block: (content, line) => (line.form.kind === "rule" ? RULE : content),
  marker: bulletMarker,
  fence: (rows) => [...rows],
  table: (rows, write) => rows.map((row) => write(row.spans)),
  join: (blocks) => joinLines(blocks, (line) => line.lead),
};

export const whatsapp: Voice = {
  ...plain,
  fit: (spans, form) => fitChat(headingAsBold(spans, form)),
  code: (text) => `\`${text}\``,
  mark: (inner, style) => `${CHAT_MARKS[style]}${inner}${CHAT_MARKS[style]}`,
  block: (content, line) => plain.block(breakQuote(breakFences(content), line), line),
  fence: (rows) => fenced(rows),
  join: (blocks) => joinLines(blocks, (line) => chatLead(line, "> ".repeat(quoteDepth(line)))),
};

export const slack: Voice = {
  ...whatsapp,
  fit: (spans, form) => fitChat(headingAsBold(spans, form).map(plainLabel)),
  text: escapeMarkup,
  code: (text) => `\`${escapeMarkup(text)}\``,
  link: (inner, address, label) =>
    label === address ? `<${escapeMarkup(address)}>` : `<${escapeMarkup(address)}|${inner}>`,
  fence: (rows) => fenced(rows.map(escapeMarkup)),
  join: (blocks) =>
    joinLines(blocks, (line) => chatLead(line, `>${"&gt;".repeat(Math.max(0, quoteDepth(line) - 1))} `)),
};

export const telegram: Voice = {
  ...plain,
  fit: (spans, form) => mergeSpans(headingAsBold(spans, form).map(plainLabel).map(withoutEmphasisInCode)),
  text: escapeMarkup,
  code: (text) => `<code>${escapeMarkup(text)}</code>`,
  mark: (inner, style) => `<${TAGS[style]}>${inner}</${TAGS[style]}>`,
  link: (inner, address) => `<a href="${escapeMarkup(address).replaceAll('"', "&quot;")}">${inner}</a>`,
  fence(rows, language) {
    const body = rows.map(escapeMarkup).join("\n");
    return [
      language === "" ? `<pre>${body}</pre>` : `<pre><code class="language-${language}">${body}</code></pre>`,
    ];
  },
  join: joinTelegram,
};

const CHAT_MARKS: Record<Style, string> = { bold: "*", italic: "_", strike: "~" };
const TAGS: Record<Style, string> = { bold: "b", italic: "i", strike: "s" };

export function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

export function headingAsBold(spans: readonly Span[], form: Form): readonly Span[] {
  return form.kind === "heading" ? spans.map((span) => ({ ...span, bold: !span.code })) : spans;
}

function withoutEmphasisInCode(span: Span): Span {
  return span.code ? { ...span, bold: false, italic: false, strike: false } : span;
}

function plainLabel(span: Span): Span {
  return span.link === null ? span : { ...span, code: false };
}

/** `*b*` works only between words, without another such mark inside; `code` only without a backtick. */
function fitChat(spans: readonly Span[]): Span[] {
  const coded = spans.map((span) =>
    withoutEmphasisInCode(span.code && span.text.includes("`") ? { ...span, code: false } : span),
  );
  return fitEmphasis(coded, ({ before, text, after }: Run, style) => {
    return !endsInWord(before) && !startsWithWord(after) && !text.includes(CHAT_MARKS[style]);
  });
}

export function endsInWord(text: string): boolean {
  return /[\p{L}\p{N}\p{M}_]$/u.test(text.slice(-2));
}

export function startsWithWord(text: string): boolean {
  return /^[\p{L}\p{N}\p{M}_]/u.test(text.slice(0, 2));
}

export function fenced(rows: readonly string[], language = ""): string[] {
  return [`\`\`\`${language}`, ...rows.map(breakFences), "```"];
}

/** Three backticks would end or open a fence of three, so an invisible space goes between them. */
function breakFences(text: string): string {
  return text.replace(/`(?=``)/g, "`\u200B");
}

/** Text that starts like a quote gets an invisible space before it: neither chat has an escape. */
function breakQuote(content: string, { lead, marker }: Line): string {
  return lead === "" && marker === "" ? content.replace(/^(?=>|&gt;)/, "\u200B") : content;
}

export function bulletMarker({ marker, task }: Line): string {
  if (task === null) return marker.replace("-", "•");
  return `${marker.replace("- ", "")}${task ? "☑" : "☐"} `;
}

/** Each row with the marks of its quotes and lists before it. */
export function joinLines(blocks: readonly Block[], leadOf: (line: Line) => string): string {
  let text = "";
  let before: Line | null = null;
  for (const { rows, first, last } of blocks) {
    const lead = leadOf(first);
    const outer = before && quoteDepth(before) < quoteDepth(first) ? leadOf(before) : lead;
    if (before) text += first.gap ? `\n${outer.trimEnd()}\n` : "\n";
    text += rows.map((row) => (row === "" ? lead.trimEnd() : lead + row)).join("\n");
    before = last;
  }
  return text;
}

/** A quote mark counts only at the start of a line, and any text before code would become part of it. */
function chatLead(line: Line, quotes: string): string {
  if (line.form.kind === "code") return "";
  return (quoteDepth(line) > 0 ? quotes : "") + line.lead.replace(/^.*> /, "");
}

/** A quote is a tag around its lines; tags of quotes cannot nest. */
function joinTelegram(blocks: readonly Block[]): string {
  let text = "";
  let quoted = false;
  for (const [index, { rows, first }] of blocks.entries()) {
    const depth = quoteDepth(first);
    if (quoted && depth === 0) text += "</blockquote>";
    if (index > 0) text += first.gap ? "\n\n" : "\n";
    if (!quoted && depth > 0) text += "<blockquote>";
    quoted = depth > 0;
    const lead = chatLead(first, "&gt; ".repeat(Math.max(0, depth - 1)));
    text += rows.map((row) => lead + row).join("\n");
  }
  return quoted ? `${text}</blockquote>` : text;
}
