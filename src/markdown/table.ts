// Tables: native, as aligned code, or as plain rows.

import type { Token, Tokens } from "marked";
import {
  PLAIN,
  lineOf,
  mergeSpans,
  textLine,
  textOf,
  type Align,
  type Form,
  type Line,
  type Span,
} from "./model.ts";
import { spellOutLinks } from "./links.ts";

export type TableStyle = "native" | "aligned" | "rows";

/** A wider cell is not shortened; it overflows its column. */
const WIDEST = 40;

export function tableLines(
  table: Tokens.Table,
  style: TableStyle,
  spansOf: (tokens: readonly Token[]) => Span[],
): Line[] {
  const rows = [table.header, ...table.rows].map((row) => row.map((cell) => oneLine(spansOf(cell.tokens))));
  if (style === "native") return nativeLines(rows, table.align);
  const texts = rows.map((row) => row.map((spans) => textOf(spellOutLinks(spans))));
  return style === "aligned"
    ? alignedLines(texts, table.align)
    : texts.map((row) => textLine(row.join(" | ").trim(), false));
}

function oneLine(spans: readonly Span[]): Span[] {
  return spans.map((span) => ({ ...span, text: span.text.replace(/(?<!\s)\s*\n/g, " ") }));
}

function nativeLines([header = [], ...rows]: Span[][][], align: readonly Align[]): Line[] {
  const form: Form = { kind: "table", header, align };
  return [header, ...rows].map((cells) => ({ ...lineOf(form, cellsAsSpans(cells), false), cells }));
}

function cellsAsSpans(cells: readonly Span[][]): Span[] {
  return mergeSpans(
    cells.flatMap((cell, index) => (index === 0 ? cell : [{ ...PLAIN, text: " | " }, ...cell])),
  );
}

function alignedLines(rows: readonly string[][], align: readonly Align[]): Line[] {
  const form: Form = { kind: "code", language: "" };
  const widths = align.map((_, column) =>
    Math.min(
      WIDEST,
      rows.reduce((widest, row) => Math.max(widest, width(row[column] ?? "")), 1),
    ),
  );
  const [header, ...body] = rows.map((row) =>
    widths
      .map((columns, column) => pad(row[column] ?? "", columns, align[column] ?? null))
      .join(" | ")
      .trimEnd(),
  );
  const rule = widths.map((columns) => "-".repeat(columns)).join("-+-");
  return [header!, rule, ...body].map((text) => lineOf(form, text === "" ? [] : [{ ...PLAIN, text }], false));
}

function pad(text: string, columns: number, align: Align): string {
  const missing = Math.max(0, columns - width(text));
  const before = align === "right" ? missing : align === "center" ? Math.floor(missing / 2) : 0;
  return " ".repeat(before) + text + " ".repeat(missing - before);
}

/** In columns of a fixed-width font: none for marks and joiners, two for East Asian letters and emoji. */
function width(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let columns = 0;
  for (const character of text.slice(0, WIDEST * 4)) {
    if (/[\p{M}\p{Cf}]/u.test(character)) continue;
    columns +=
      /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\u{1F300}-\u{1FAFF}]/u.test(
        character,
      )
        ? 2
        : 1;
  }
  return columns;
}
