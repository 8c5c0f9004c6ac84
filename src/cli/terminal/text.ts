// Makes outside text safe for a terminal: nothing in it can move the cursor, change colours or reorder a line.
import { oneLine } from "../../core/text.ts";

const control = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Keeps line breaks and tabs, and removes every other control and format character. */
export const safeText = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll("\r\n", "\n")
    .replace(control, (found) => (found === "\n" || found === "\t" ? found : ""));

export const safeLine = (text: string): string => oneLine(safeText(text));

const wide =
  /[\u{1100}-\u{115f}\u{2e80}-\u{a4cf}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff00}-\u{ff60}\u{ffe0}-\u{ffe6}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const combining = /\p{M}/u;

const widthOfOne = (character: string): number =>
  combining.test(character) ? 0 : wide.test(character) ? 2 : 1;

/** About how many columns of a terminal the text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += widthOfOne(character);
  return width;
}

/** Cuts the text to this many columns, with … at the cut. */
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

/** The lines of a text of one line, none wider than this. A word that is too long is broken. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((each) => pieces(each, columns))) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (widthOf(longer) > columns && line !== "") {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

function pieces(word: string, columns: number): string[] {
  if (widthOf(word) <= columns) return [word];
  const found: string[] = [];
  let piece = "";
  for (const character of word) {
    if (widthOf(piece + character) > columns && piece !== "") {
      found.push(piece);
      piece = "";
    }
    piece += character;
  }
  return [...found, piece];
}
