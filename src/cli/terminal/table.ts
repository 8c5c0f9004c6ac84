// Aligned columns for people. The last column gets the rest of the width.
import { largest } from "../../core/largest.ts";
import { fit, safeLine, widthOf } from "./text.ts";

export type Column<T> = { title: string; value: (item: T) => string | number | null };

const gap = "  ";
const widthWithoutTerminal = 200;
const leastForLast = 12;
const longestCell = 40;
const longestRead = 2000;

export function formatTable<T>(
  columns: readonly Column<T>[],
  items: readonly T[],
  terminalWidth: number | null,
): string {
  const last = columns.length - 1;
  const rows = [
    columns.map(({ title }) => title),
    ...items.map((item) => columns.map((column, index) => cell(column, item, index === last))),
  ];
  const widths = columns.map((_, index) => largest(rows.map((row) => widthOf(row[index] ?? ""))));
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + gap.length, 0);
  const left = Math.max(leastForLast, (terminalWidth ?? widthWithoutTerminal) - before);
  const lines = rows.map((row) =>
    row
      .map((text, index) => (index === last ? fit(text, left) : pad(text, widths[index] ?? 0)))
      .join(gap)
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

function cell<T>({ value }: Column<T>, item: T, isLast: boolean): string {
  const text = String(value(item) ?? "").slice(0, longestRead);
  return fit(safeLine(text), isLast ? longestRead : longestCell);
}

const pad = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)));
