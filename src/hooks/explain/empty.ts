// The references that rendered empty because they were missing: each once, with the elements of a `forEach` that lack it.
import type { RenderedDraft } from "../mapping/decide.ts";

export type EmptyReference = {
  reference: string;
  /** In how many elements; 1 without `forEach`. */
  count: number;
  /** The first of these elements; empty without `forEach`. */
  elements: string[];
};

const mostReferences = 100;
const mostElements = 10;

export function emptyReferences(drafts: readonly RenderedDraft[]): EmptyReference[] {
  const found = new Map<string, EmptyReference>();
  for (const { element, empty } of drafts)
    for (const reference of empty) {
      const known = found.get(reference) ?? { reference, count: 0, elements: [] };
      known.count++;
      if (element !== null && known.elements.length < mostElements) known.elements.push(element);
      found.set(reference, known);
    }
  return [...found.values()].slice(0, mostReferences);
}
