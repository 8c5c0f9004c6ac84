// Texts from outside, cut to what a model can take.
import { clean } from "../untrusted/clean.ts";
import { cut } from "../core/text.ts";

/** `next`: where the rest begins, null where nothing is left. Positions are in the text as it is stored. */
export type Window = { text: string; from: number; next: number | null; of: number };

/** Of a cleaned part, whose hidden characters take more place than in the text. */
export function windowOf(text: string, from: number, longest: number): Window {
  const start = Math.min(Math.max(0, from), text.length);
  let size = longest;
  let part = cut(text.slice(start, start + size + 1), size);
  while (clean(part).length > longest && size > 1) {
    size = Math.floor(size / 2);
    part = cut(part, size);
  }
  const end = start + part.length;
  return { text: part, from: start, next: end < text.length ? end : null, of: text.length };
}

/** What a window leaves out, as a sentence; null: nothing. `more`: how to ask for it. */
export function cutWords({ from, next, of }: Window, more: (next: number) => string): string | null {
  if (next !== null) return `Characters ${from} to ${next} of ${of} are shown. The next ones: ${more(next)}.`;
  return from === 0 ? null : `Characters ${from} to ${of} of ${of} are shown, which are the last.`;
}
