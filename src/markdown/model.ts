// A reply between Markdown and a platform's own dialect: lines of styled spans. A span never crosses a line and every
// line knows its block, so any run of lines can be written as a message of its own.

export type Span = {
  readonly text: string;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly strike: boolean;
  readonly code: boolean;
  readonly link: string | null;
};

export type Align = "left" | "right" | "center" | null;

/** Lines of one code block or table share one form; that it is the same object tells them from the next block's. */
export type Form =
  | { readonly kind: "text" }
  | { readonly kind: "heading"; readonly level: number }
  | { readonly kind: "rule" }
  | { readonly kind: "code"; readonly language: string }
  | { readonly kind: "table"; readonly header: readonly Span[][]; readonly align: readonly Align[] };

export type Line = {
  readonly form: Form;
  readonly spans: readonly Span[];
  /** The cells, where it is a row of a table. */
  readonly cells?: readonly Span[][];
  /** A blank line stands before it, unless it comes first. */
  readonly gap: boolean;
  /** The marks of what it is inside of, outermost first: "> " for a quote, spaces for a list item. */
  readonly lead: string;
  /** "- " or "3. ", on the first line of a list item. */
  readonly marker: string;
  /** Whether the item is a task, and done. */
  readonly task: boolean | null;
  /** The author asked for the break after this line. */
  readonly hardBreak: boolean;
};

export const PLAIN: Span = { text: "", bold: false, italic: false, strike: false, code: false, link: null };
export const TEXT: Form = { kind: "text" };

export function textLine(text: string, gap: boolean): Line {
  return lineOf(TEXT, text === "" ? [] : [{ ...PLAIN, text }], gap);
}

export function lineOf(form: Form, spans: readonly Span[], gap: boolean): Line {
  return { form, spans, gap, lead: "", marker: "", task: null, hardBreak: false };
}

export function quoteDepth(line: Line): number {
  return line.lead === "" ? 0 : line.lead.split(">").length - 1;
}

export function textOf(spans: readonly Span[]): string {
  return spans.map((span) => span.text).join("");
}

export function sameStyle(one: Span, other: Span): boolean {
  return (
    one.bold === other.bold &&
    one.italic === other.italic &&
    one.strike === other.strike &&
    one.code === other.code &&
    one.link === other.link
  );
}

/** Neighbours of one style become one span; empty ones go. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (span.text === "") continue;
    if (last && sameStyle(last, span)) merged[merged.length - 1] = { ...last, text: last.text + span.text };
    else merged.push(span);
  }
  return merged;
}

export function sliceSpans(spans: readonly Span[], from: number, to: number): Span[] {
  const sliced: Span[] = [];
  let start = 0;
  for (const span of spans) {
    if (start >= to) break;
    const text = span.text.slice(Math.max(0, from - start), to - start);
    if (start + span.text.length > from && text !== "") sliced.push({ ...span, text });
    start += span.text.length;
  }
  return sliced;
}
