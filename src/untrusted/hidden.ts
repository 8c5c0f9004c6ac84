// Characters that a person does not see and a model reads. Only complete emoji keep those that they need.

const lineBreaks = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;

export const hiddenClass = String.raw`[[\p{DI}\p{Bidi_C}\p{Cf}\p{Cc}\p{Co}\p{Cs}\p{NChar}]--[\t\n]]`;

/** The members of `\p{RGI_Emoji}` with a hidden character: V8 takes some 10 µs for each miss of the whole property. */
const emojiSequence = [
  String.raw`(?=\p{Emoji}\p{Emoji_Modifier}?\uFE0F?\u200D\p{Emoji})\p{RGI_Emoji_ZWJ_Sequence}`,
  String.raw`\p{RGI_Emoji_Tag_Sequence}`,
  String.raw`\p{Emoji_Keycap_Sequence}`,
  String.raw`[[\p{Emoji}--\p{Emoji_Presentation}]--[#*0-9]]\uFE0F`,
].join("|");

const anyHidden = new RegExp(hiddenClass, "v");
/** One character, not a run: for each of a run V8 keeps a place to go back to, and millions of them overflow. */
const hiddenOrEmoji = new RegExp(`(${hiddenClass})|${emojiSequence}`, "gv");

export const emojiSequences = new RegExp(emojiSequence, "gv");

export const unifyLineBreaks = (text: string): string => text.replace(lineBreaks, "\n");

export const hasHidden = (text: string): boolean => anyHidden.test(text);

/** Every hidden character as `⟦U+200B⟧`. */
export function showHidden(text: string): string {
  if (!hasHidden(text)) return text;
  const shown = new Map<string, string>();
  return text.replace(hiddenOrEmoji, (found, character?: string) => {
    if (character === undefined) return found;
    const known = shown.get(character) ?? `⟦U+${codePointOf(character)}⟧`;
    shown.set(character, known);
    return known;
  });
}

const codePointOf = (character: string): string =>
  (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");

export function countHidden(text: string): number {
  if (!hasHidden(text)) return 0;
  let count = 0;
  for (const [, character] of text.matchAll(hiddenOrEmoji)) if (character !== undefined) count += 1;
  return count;
}
