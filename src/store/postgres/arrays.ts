// The form in which rows are sent to PostgreSQL.
import type { Rows, Value } from "../driver/program.ts";

/** An array for each column, as the dialect's `rows` and `stored` expect them. */
export const toArrays = ({ columns, items }: Rows): Buffer[] =>
  columns.map((_, column) => toArray(items.map((item) => item[column] ?? null)));

const textOid = 25;

/** In the binary form of PostgreSQL, which it reads in a third of the time of JSON. */
function toArray(values: readonly Value[]): Buffer {
  const texts = values.map((value) => (value === null ? null : String(value)));
  const bytes = texts.reduce((sum, text) => sum + 4 + (text === null ? 0 : Buffer.byteLength(text)), 20);
  const array = Buffer.allocUnsafe(bytes);
  let at = 0;
  const dimensions = 1;
  const hasNulls = texts.includes(null) ? 1 : 0;
  for (const word of [dimensions, hasNulls, textOid, texts.length, 1]) at = array.writeInt32BE(word, at);
  for (const text of texts) {
    const written = text === null ? -1 : array.write(text, at + 4);
    array.writeInt32BE(written, at);
    at += 4 + Math.max(written, 0);
  }
  return array;
}
