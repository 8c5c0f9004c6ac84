// Which emphasis a dialect's marks can express. The rest is dropped, so that no stray marks are seen.

import { mergeSpans, sliceSpans, textOf, type Span } from "./model.ts";

export type Style = "bold" | "italic" | "strike";
export const STYLES: readonly Style[] = ["bold", "italic", "strike"];

/** A run of one style and the text around it; "" at the ends of the line. */
export type Run = {
  readonly before: string;
  readonly text: string;
  readonly after: string;
  readonly first: Span;
  readonly last: Span;
};

/** Keeps a style only where `holds`, and moves white space at the ends of a run out of it. */
export function fitEmphasis(spans: readonly Span[], holds: (run: Run, style: Style) => boolean): Span[] {
  let fitted = [...spans];
  for (const style of STYLES) fitted = fitStyle(fitted, style, holds);
  return mergeSpans(fitted);
}

function fitStyle(spans: readonly Span[], style: Style, holds: (run: Run, style: Style) => boolean): Span[] {
  const fitted: Span[] = [];
  for (let from = 0, to = 0; from < spans.length; from = to) {
    const styled = spans[from]![style];
    while (to < spans.length && spans[to]![style] === styled) to += 1;
    const run = spans.slice(from, to);
    const around = { before: fitted.at(-1)?.text ?? "", after: spans[to]?.text ?? "" };
    for (const span of styled ? fitRun(run, style, around, holds) : run) fitted.push(span);
  }
  return fitted;
}

function fitRun(
  run: readonly Span[],
  style: Style,
  around: { before: string; after: string },
  holds: (run: Run, style: Style) => boolean,
): Span[] {
  const [start, inner, end] = apart(run);
  const before = around.before + textOf(start);
  const after = textOf(end) + around.after;
  const text = textOf(inner);
  const off = (span: Span): Span => ({ ...span, [style]: false });
  const kept = text !== "" && holds({ before, text, after, first: inner[0]!, last: inner.at(-1)! }, style);
  return [...start.map(off), ...(kept ? inner : inner.map(off)), ...end.map(off)];
}

/** White space at the start, the text between, and white space at the end; code has none. */
function apart(run: readonly Span[]): [Span[], Span[], Span[]] {
  const solid = run.map(({ code, text }) => (code ? "x".repeat(text.length) : text)).join("");
  const start = solid.length - solid.trimStart().length;
  const end = Math.max(start, solid.trimEnd().length);
  return [sliceSpans(run, 0, start), sliceSpans(run, start, end), sliceSpans(run, end, solid.length)];
}
