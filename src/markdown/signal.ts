// A reply in Markdown becomes Signal messages: plain text with ranges of style.

import { RULE, bulletMarker, headingAsBold } from "./dialects.ts";
import { measure } from "./measure.ts";
import { PLAIN, quoteDepth, type Line, type Span } from "./model.ts";
import { renderLines, type Limit } from "./render.ts";

/** `styles` as signal-cli takes them: "0:4:BOLD", offset and length in UTF-16 units. */
export type StyledText = { text: string; styles: readonly string[] };

const STYLES = [
  ["BOLD", (span: Span) => span.bold],
  ["ITALIC", (span: Span) => span.italic],
  ["STRIKETHROUGH", (span: Span) => span.strike],
  ["MONOSPACE", (span: Span) => span.code],
] as const;

export function renderSignal(markdown: string, limit: Limit): StyledText[] {
  const write = (lines: readonly Line[]) => styledText(lines.flatMap(lineSpans));
  const fullness = (lines: readonly Line[]) => measure(write(lines).text, limit.unit) / limit.most;
  return renderLines(markdown, { links: "spelled", tables: "aligned" }, limit, write, fullness);
}

function lineSpans(line: Line, index: number, lines: readonly Line[]): Span[] {
  const isCode = line.form.kind === "code";
  const goesOn = isCode && lines[index - 1]?.form === line.form;
  const start = index === 0 ? "" : line.gap ? "\n\n" : "\n";
  const prefix = start + (isCode ? "> ".repeat(quoteDepth(line)) : line.lead) + bulletMarker(line);
  const content =
    line.form.kind === "rule" ? [{ ...PLAIN, text: RULE }] : headingAsBold(line.spans, line.form);
  return [
    { ...PLAIN, code: goesOn, text: prefix },
    ...content.map((span) => (isCode ? { ...span, code: true } : span)),
  ];
}

function styledText(spans: readonly Span[]): StyledText {
  const text = spans.map((span) => span.text).join("");
  return {
    text,
    styles: STYLES.flatMap(([name, has]) => ranges(spans, has).map((range) => `${range}:${name}`)),
  };
}

function ranges(spans: readonly Span[], has: (span: Span) => boolean): string[] {
  const found: { from: number; to: number }[] = [];
  let at = 0;
  for (const span of spans) {
    const last = found.at(-1);
    if (has(span) && span.text !== "") {
      if (last && last.to === at) last.to += span.text.length;
      else found.push({ from: at, to: at + span.text.length });
    }
    at += span.text.length;
  }
  return found.map(({ from, to }) => `${from}:${to - from}`);
}
