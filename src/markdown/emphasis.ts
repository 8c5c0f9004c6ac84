// Which emphasis a dialect's marks can express. What it cannot is dropped, so that no stray marks are seen.

import { mergeSpans, type Span } from "./model.ts";

export type Style = "bold" | "italic" | "strike";
export const STYLES: readonly Style[] = ["bold", "italic", "strike"];

/** What stands around and inside of a run of one style; "" at the ends of the line. */
export type Run = {
  readonly before: string;
  readonly text: string;
  readonly after: string;
  readonly first: Span;
  readonly last: Span;
};

/** Keeps a style only where `holds`, and leaves white space at the ends of a run outside of it. */
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
    if (!styled) fitted.push(...run);
    else
      fitted.push(
        ...fitRun(run, style, { before: fitted.at(-1)?.text ?? "", after: spans[to]?.text ?? "" }, holds),
      );
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
  const before = around.before + textOfAll(start);
  const after = textOfAll(end) + around.after;
  const text = textOfAll(inner);
  const off = (span: Span): Span => ({ ...span, [style]: false });
  const kept = text !== "" && holds({ before, text, after, first: inner[0]!, last: inner.at(-1)! }, style);
  return [...start.map(off), ...(kept ? inner : inner.map(off)), ...end.map(off)];
}

function textOfAll(spans: readonly Span[]): string {
  return spans.map((span) => span.text).join("");
}

/** White space at the start, what is between, and white space at the end. */
function apart(run: readonly Span[]): [Span[], Span[], Span[]] {
  const first = run[0]!;
  const last = run.at(-1)!;
  if (run.length === 1 && first.text.trim() === "" && !first.code) return [[first], [], []];
  const lead = first.code ? 0 : first.text.length - first.text.trimStart().length;
  const trail = last.code ? 0 : last.text.length - last.text.trimEnd().length;
  const inner = run.map((span, index) => ({
    ...span,
    text: span.text.slice(
      index === 0 ? lead : 0,
      index === run.length - 1 ? span.text.length - trail : undefined,
    ),
  }));
  return [
    [{ ...first, text: first.text.slice(0, lead) }],
    inner,
    [{ ...last, text: last.text.slice(last.text.length - trail) }],
  ].map((part) => part.filter((span) => span.text !== "")) as [Span[], Span[], Span[]];
}
