// Items of a list: what is ours stands in the open; the rest of all items goes into one block, a line for each.
import { cleanLine } from "../untrusted/metadata.ts";
import type { OutsideBlock } from "./result.ts";

export type Item = Readonly<Record<string, unknown>>;
export type Split = { ours: Record<string, unknown>; texts: Record<string, unknown> };

/** Ids, times, statuses and names of the configuration: no blanks, so that no sentence passes for one. */
const plainWord = /^[\w.:/+-]{1,80}$/;
const mostListed = 20;

/** A value under a name that is ours goes to the texts where it is not as ours are. Null is left out. */
export function split(item: Item, ours: readonly string[]): Split {
  const result: Split = { ours: {}, texts: {} };
  for (const [name, value] of Object.entries(item)) {
    if (value === null || value === undefined || value === "") continue;
    const isOurs = ours.includes(name) && isPlain(value);
    if (isOurs) result.ours[name] = listed(value);
    else result.texts[name] = value;
  }
  return result;
}

/** A list's items without what is too long for it. */
export const without = <T extends object, Name extends keyof T>(
  items: readonly T[],
  name: Name,
): Omit<T, Name>[] =>
  items.map((item) => {
    const rest: Partial<T> = { ...item };
    delete rest[name];
    return rest as Omit<T, Name>;
  });

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlain);
  return typeof value === "number" || typeof value === "boolean" || plainWord.test(String(value));
}

/** Of a long list of ids, the first ones; the last entry says how many more there are. */
const listed = (value: unknown): unknown =>
  Array.isArray(value) && value.length > mostListed
    ? [...(value as unknown[]).slice(0, mostListed), `+${value.length - mostListed}`]
    : value;

/** Of one block. */
const mostCharacters = 12_000;
const [shortestValue, usualLongest] = [60, 300];

export type Line = { key: Readonly<Record<string, unknown>>; texts: Item };

/** A line of JSON for each item that has texts. `key`: what tells the item. */
export function textsBlock(label: string, items: readonly Line[], most = usualLongest): OutsideBlock[] {
  const filled = items.filter(({ texts }) => Object.keys(texts).length > 0);
  if (filled.length === 0) return [];
  const values = filled.reduce((sum, { texts }) => sum + Object.keys(texts).length, 0);
  const longest = Math.min(most, Math.max(shortestValue, Math.floor(mostCharacters / values)));
  const lines = filled.map(({ key, texts }) => lineOf(key, texts, longest));
  const shown = firstLines(lines.map(({ text }) => text));
  const notes = [
    lines.some(({ isCut }) => isCut)
      ? `Values of more than ${longest} characters were cut; show one item to see more of it.`
      : null,
    shown.length < lines.length
      ? `${lines.length - shown.length} further lines were left out: ask for fewer at once.`
      : null,
  ];
  return [{ label, text: shown.join("\n"), note: notes.filter(Boolean).join(" ") || null }];
}

function firstLines(lines: readonly string[]): string[] {
  let left = mostCharacters * 1.5;
  return lines.filter((line) => (left -= line.length) > 0);
}

function lineOf(key: Item, texts: Item, longest: number): { text: string; isCut: boolean } {
  let isCut = false;
  const lines = Object.entries(texts).map(([name, value]) => {
    const written = typeof value === "string" ? value : JSON.stringify(value);
    const line = cleanLine(written, longest);
    if (written.length > longest || line.length > longest) isCut = true;
    return [cleanLine(name, 100), typeof value === "string" || line !== written ? line : value];
  });
  return { text: JSON.stringify({ ...key, ...Object.fromEntries(lines) }), isCut };
}

/** A list whose items are told by their ids. */
export function splitList(label: string, items: readonly Item[], ours: readonly string[]) {
  const parts = items.map((item) => split(item, ours));
  return {
    items: parts.map((part) => part.ours),
    outside: textsBlock(
      label,
      parts.map(({ ours: { id }, texts }) => ({ key: { id }, texts })),
    ),
  };
}
