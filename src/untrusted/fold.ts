// Folds a text for searching: hidden characters out, letters in their plain form (NFKC).

import { hasHidden } from "./hidden.ts";

export type FoldedText = {
  readonly text: string;
  /** The index in the original of an index in the folded text. Call it with rising indexes. */
  readonly original: (index: number) => number;
};

const foldable =
  /[[\p{Changes_When_NFKC_Casefolded}\p{DI}\p{Bidi_C}\p{Cf}\p{Cc}\p{Co}\p{Cs}\p{NChar}]--[\t\nA-Z]]/v;
const foldables = new RegExp(foldable, "gv");

export function fold(text: string): FoldedText {
  if (!foldable.test(text)) return { text, original: (index) => index };
  const folds = new Map<string, string>();
  const shifts: Shift[] = [];
  let by = 0;
  const folded = text.replace(foldables, (character, at: number) => {
    const plain = folds.get(character) ?? foldCharacter(character);
    folds.set(character, plain);
    if (plain.length !== character.length) {
      by += character.length - plain.length;
      shifts.push({ from: at + character.length - by, by });
    }
    return plain;
  });
  return { text: folded, original: originalIndex(shifts) };
}

const plainLetters = /^[ -~]+$/;

function foldCharacter(character: string): string {
  if (hasHidden(character)) return "";
  const plain = character.normalize("NFKC");
  return plainLetters.test(plain) ? plain : character;
}

/** From `from` on, an index in the original is `by` units higher than in the folded text. */
type Shift = { readonly from: number; readonly by: number };

function originalIndex(shifts: readonly Shift[]): (index: number) => number {
  let next = 0;
  return (index) => {
    while ((shifts[next]?.from ?? Infinity) <= index) next += 1;
    return index + (shifts[next - 1]?.by ?? 0);
  };
}
