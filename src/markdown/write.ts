// Writes lines as the text of one message. A `Voice` holds the differences of a dialect.

import { STYLES, type Style } from "./emphasis.ts";
import { textOf, type Form, type Line, type Span } from "./model.ts";

/** The text next to a run; "" at the ends of the line. */
export type Around = { readonly before: string; readonly after: string; readonly inside: boolean };

export type Voice = {
  /** The line's styles as far as the dialect can express them. */
  fit(spans: readonly Span[], form: Form): Span[];
  text(text: string, inLink: boolean): string;
  code(text: string): string;
  mark(inner: string, style: Style, around: Around): string;
  link(inner: string, address: string, label: string, around: Around): string;
  /** The content of a text line, in its block's form. */
  block(content: string, line: Line): string;
  marker(line: Line): string;
  fence(rows: readonly string[], language: string): string[];
  table(rows: readonly Line[], write: (spans: readonly Span[]) => string): string[];
  /** Blocks with their quotes and the gaps between them. */
  join(blocks: readonly Block[]): string;
};

/** Rows that stay in one block: a line, a code block, a table. */
export type Block = { readonly rows: readonly string[]; readonly first: Line; readonly last: Line };

/** Keeps the text of each line, because packing tries many messages with the same lines. */
export function createWriter(voice: Voice): (lines: readonly Line[]) => string {
  const written = new WeakMap<Line, Block>();
  const write = (group: readonly Line[]): Block => {
    const known = group.length === 1 ? written.get(group[0]!) : undefined;
    const block = known ?? writeBlock(group, voice);
    if (group.length === 1) written.set(group[0]!, block);
    return block;
  };
  return (lines) => voice.join(groups(lines).map(write));
}

function groups(lines: readonly Line[]): Line[][] {
  const found: Line[][] = [];
  for (const line of lines) {
    const last = found.at(-1)?.[0];
    const isOneBlock = line.form.kind === "code" || line.form.kind === "table";
    if (isOneBlock && last?.form === line.form) found.at(-1)!.push(line);
    else found.push([line]);
  }
  return found;
}

function writeBlock(group: readonly Line[], voice: Voice): Block {
  const first = group[0]!;
  const write = (spans: readonly Span[]) => writeSpans(voice.fit(spans, first.form), voice);
  const block = { first, last: group.at(-1)! };
  if (first.form.kind === "code") {
    return {
      ...block,
      rows: voice.fence(
        group.map((line) => textOf(line.spans)),
        first.form.language,
      ),
    };
  }
  if (first.form.kind === "table") return { ...block, rows: voice.table(group, write) };
  const content = voice.block(write(first.spans), first);
  return { ...block, rows: [voice.marker(first) + content] };
}

type Mark = Style | "link";
const INSIDE: Around = { before: "*", after: "*", inside: true };
const OUTSIDE: Around = { before: "", after: "", inside: false };

export function writeSpans(
  spans: readonly Span[],
  voice: Voice,
  open: readonly Mark[] = [],
  around: Around = OUTSIDE,
): string {
  let written = "";
  for (let from = 0, to = 0; from < spans.length; from = to) {
    const run = longestRun(spans, from, open);
    to = run?.to ?? from + 1;
    const inside = spans.slice(from, to);
    const near = {
      before: spans[from - 1]?.text ?? around.before,
      after: spans[to]?.text ?? around.after,
      inside: around.inside,
    };
    if (!run) written += leaf(inside[0]!, voice);
    else
      written += marked(
        inside,
        run.mark,
        writeSpans(inside, voice, [...open, run.mark], INSIDE),
        near,
        voice,
      );
  }
  return written;
}

function leaf(span: Span, voice: Voice): string {
  return span.code ? voice.code(span.text) : voice.text(span.text, span.link !== null);
}

function marked(inside: readonly Span[], mark: Mark, inner: string, near: Around, voice: Voice): string {
  return mark === "link"
    ? voice.link(inner, inside[0]!.link!, textOf(inside), near)
    : voice.mark(inner, mark, near);
}

/** The mark with the longest run is opened first; of equals, emphasis before links. */
function longestRun(
  spans: readonly Span[],
  from: number,
  open: readonly Mark[],
): { mark: Mark; to: number } | null {
  let best: { mark: Mark; to: number } | null = null;
  for (const mark of [...STYLES, "link"] as const) {
    const value = spans[from]![mark];
    if (open.includes(mark) || value === false || value === null) continue;
    let to = from;
    while (to < spans.length && spans[to]![mark] === value) to += 1;
    if (!best || to > best.to) best = { mark, to };
  }
  return best;
}
