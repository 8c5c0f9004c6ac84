// Cleans outside text: one kind of line break, nothing hidden, no chat-template tokens. Nothing is dropped: a
// changed part stays readable between ⟦ and ⟧. Cleaning twice is the same as cleaning once.

import { breakChatTokens } from "./chat-tokens.ts";
import { showHidden, unifyLineBreaks } from "./hidden.ts";

/** Cleaning shortens a text to half at most (line breaks): of a longer one, the first `shown` characters are the same. */
export const mostToClean = (shown: number): number => 2 * shown + 2;

const beyondPlain = /[^\t\n -~]/;

export function clean(text: string): string {
  if (!beyondPlain.test(text)) return breakChatTokens(text);
  return breakChatTokens(showHidden(unifyLineBreaks(text)));
}
