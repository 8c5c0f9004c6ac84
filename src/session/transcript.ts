// How many turns of a transcript a run carries, and which ones are compacted when they outgrow the model's window.
import type { History, TranscriptTurn } from "../core/transcript.ts";

export const usualContextTokens = 128_000;
/** Half of the window is for earlier turns; a token is about four characters. */
const charactersPerToken = 4;
const shareOfWindow = 0.5;

export const historyLimit = (contextTokens: number): number =>
  Math.floor(contextTokens * charactersPerToken * shareOfWindow);

/** The half that is kept at least, and up to `limit` characters before it to summarise. */
export const historyToRead = (limit: number): number => Math.floor(limit * 1.5);

const lengthOf = (turns: readonly TranscriptTurn[]): number =>
  turns.reduce((sum, { text }) => sum + text.length, 0);

export type Split = { old: readonly TranscriptTurn[]; recent: readonly TranscriptTurn[] };

/** Keeps all turns when they fit; otherwise the newest ones, up to half of the limit. */
export function splitHistory({ turns, hasOlder }: History, limit: number): Split {
  if (!hasOlder && lengthOf(turns) <= limit) return { old: [], recent: turns };
  let remaining = limit / 2;
  let at = turns.length;
  while (at > 0 && turns[at - 1]!.text.length <= remaining) remaining -= turns[--at]!.text.length;
  // A reply makes no sense without the turn before it.
  while (at < turns.length && turns[at]!.role === "assistant") at++;
  return { old: turns.slice(0, at), recent: turns.slice(at) };
}

const speakers = { user: "They said", assistant: "You said", summary: "Before that" } as const;

/** The turns as a text to summarise: at most `limit` characters, from the end. */
export function transcriptText(turns: readonly TranscriptTurn[], limit: number): string {
  const whole = turns.map(({ role, text }) => `${speakers[role]}:\n${text}`).join("\n\n");
  return whole.length <= limit ? whole : `…${whole.slice(-limit)}`;
}

export const leftOutMark = "Earlier turns of this conversation are left out here: they would not fit.";
