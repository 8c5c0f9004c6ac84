// How much work it is to prepare an outside text, found out at a small part of that work.
import { openingClass } from "./chat-tokens.ts";
import { hiddenClass } from "./hidden.ts";

const costly = new RegExp(`(${hiddenClass})|${openingClass}`, "gv");

/** In usual characters: a hidden one, which may be part of an emoji, and one that may start a token. */
const costs = { hidden: 30, opening: 10 };

/** Of one turn of the event loop, in usual characters: some 20 ms, whatever they are. */
export const mostAtOnce = 300_000;

/** In usual characters. More than `most` is not counted to its end. */
export function effortOf(text: string, most: number): number {
  let effort = text.length;
  if (effort > most) return effort;
  for (const [, hidden] of text.matchAll(costly)) {
    effort += hidden === undefined ? costs.opening : costs.hidden;
    if (effort > most) break;
  }
  return effort;
}
