// How much of a conversation a turn carries, and what is to be compacted when it has outgrown the model's window.
import type { History, TranscriptTurn } from "../core/transcript.ts";

export const usualContextTokens = 128_000;
/** Half of the window is for what was said before; a token is about four characters. */
const charactersPerToken = 4;
const shareOfWindow = 0.5;

export const historyLimit = (contextTokens: number): number =>
  Math.floor(contextTokens * charactersPerToken * shareOfWindow);

/** What is kept of it at least, and as much before that as is summed up. */
export const historyToRead = (limit: number): number => Math.floor(limit * 1.5);

const lengthOf = (turns: readonly TranscriptTurn[]): number =>
  turns.reduce((sum, { text }) => sum + text.length, 0);

export type Split = { old: readonly TranscriptTurn[]; recent: readonly TranscriptTurn[] };

/** What still fits stays whole; otherwise the newest turns that fill half of the limit are kept. */
export function splitHistory({ turns, hasOlder }: History, limit: number): Split {
  if (!hasOlder && lengthOf(turns) <= limit) return { old: [], recent: turns };
  let room = limit / 2;
  let at = turns.length;
  while (at > 0 && turns[at - 1]!.text.length <= room) room -= turns[--at]!.text.length;
  // A reply without what it answers would say nothing.
  while (at < turns.length && turns[at]!.role === "assistant") at++;
  return { old: turns.slice(0, at), recent: turns.slice(at) };
}

const speakers = { user: "They said", assistant: "You said", summary: "Before that" } as const;

/** For whoever sums it up; at most `limit` characters, from the end. */
export function said(turns: readonly TranscriptTurn[], limit: number): string {
  const whole = turns.map(({ role, text }) => `${speakers[role]}:\n${text}`).join("\n\n");
  return whole.length <= limit ? whole : `…${whole.slice(-limit)}`;
}

export const leftOutMark = "Earlier turns of this conversation are left out here for want of room.";
