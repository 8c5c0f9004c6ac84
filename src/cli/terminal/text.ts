// Text from outside on its way to a terminal: nothing in it may move the cursor, change colours or reorder a line.
import { oneLine } from "../../core/text.ts";

const driving = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Line breaks and tabs stay; every other control and format character goes. */
export const safeText = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll("\r\n", "\n")
    .replace(driving, (found) => (found === "\n" || found === "\t" ? found : ""));

export const safeLine = (text: string): string => oneLine(safeText(text));

const wide =
  /[\u{1100}-\u{115f}\u{2e80}-\u{a4cf}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff00}-\u{ff60}\u{ffe0}-\u{ffe6}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const without = /\p{M}/u;

const widthOfOne = (character: string): number =>
  without.test(character) ? 0 : wide.test(character) ? 2 : 1;

/** How many columns of a terminal the text takes, near enough. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += widthOfOne(character);
  return width;
}

/** At most so many columns, with a mark where something is missing. */
export function fit(text: string, columns: number): string {
  if (text.length <= columns / 2 || widthOf(text) <= columns) return text;
  let fitted = "";
  let width = 0;
  for (const character of text) {
    width += widthOfOne(character);
    if (width > columns - 1) break;
    fitted += character;
  }
  return `${fitted}…`;
}
