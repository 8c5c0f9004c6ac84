// Cuts cleaned text so that it stays clean: half an emoji would leave hidden characters.

import { cut } from "../core/text.ts";
import { emojiSequences } from "./hidden.ts";

const longestEmoji = 40;

export function shorten(cleaned: string, longest: number, mark = ""): string {
  if (cleaned.length <= longest) return cleaned;
  const limit = longest - mark.length;
  const start = cleaned.slice(0, limit + longestEmoji);
  for (const { index, 0: emoji } of start.matchAll(emojiSequences)) {
    if (index < limit && index + emoji.length > limit) return cut(cleaned, index) + mark;
  }
  return cut(cleaned, limit) + mark;
}
