// Lines become messages: as few as are well cut, at most ten, and the last one says what was left out.

import { trimSpans } from "./blocks.ts";
import { cutPoint, mostThatFits } from "./cut.ts";
import { sliceSpans, textLine, textOf, type Form, type Line } from "./model.ts";
import { spellOutLinks } from "./links.ts";
import { MOST_MESSAGES } from "./source.ts";

export type Press = {
  /** How much of a message these lines take up; they fit up to 1. */
  fullness(lines: readonly Line[]): number;
  /** The most UTF-16 units that any message can hold. */
  readonly mostUnits: number;
};

/** How full a message must be to end at a good border; when ten messages do not suffice, they are filled up. */
const FILLS = [0.3, 0.9];
const PLAINLY: Form = { kind: "text" };
const NOTE: Form = { kind: "text" };

export function pack(lines: readonly Line[], unread: number, press: Press): Line[][] {
  const all = unread > 0 ? [...lines, noteOf(unread)] : lines;
  let pages: Line[][] = [];
  for (const fill of unread > 0 ? FILLS.slice(-1) : FILLS) {
    const { done, rest } = paginate(all, press, fill);
    if (rest.length === 0) return done;
    pages = done.concat([lastPage(rest, unread, press)]);
  }
  return pages;
}

/** Leaves the rest only if it does not fit into the last message. */
function paginate(
  lines: readonly Line[],
  press: Press,
  fill: number,
): { done: Line[][]; rest: readonly Line[] } {
  const done: Line[][] = [];
  let rest = lines;
  while (rest.length > 0) {
    if (done.length === MOST_MESSAGES - 1 && wholeLines(rest, press) < rest.length) return { done, rest };
    const taken = takePage(rest, press, fill);
    done.push(taken.page);
    rest = taken.rest;
  }
  return { done, rest };
}

function lastPage(lines: readonly Line[], unread: number, press: Press): Line[] {
  const all = sizeOf(lines) + unread;
  const withNote: Press = { ...press, fullness: (page) => press.fullness([...page, noteOf(all)]) };
  const { page, rest } = takePage(lines, withNote, FILLS.at(-1)!);
  return [...page, noteOf(sizeOf(rest) + unread)];
}

function noteOf(characters: number): Line {
  return { ...textLine(`… ${characters} more characters were left out.`, true), form: NOTE };
}

function sizeOf(lines: readonly Line[]): number {
  return lines.reduce((size, line) => size + (line.form === NOTE ? 0 : lengthOf(line) + 1), 0);
}

type Taken = { page: Line[]; rest: readonly Line[] };

function takePage(lines: readonly Line[], press: Press, fill: number): Taken {
  const whole = wholeLines(lines, press);
  if (whole === lines.length) return { page: [...lines], rest: [] };
  const isFull = (border: number) => border > 0 && press.fullness(lines.slice(0, border)) >= fill;
  const border = [blockBorder(lines, whole), lineBorder(lines, whole)].find(isFull);
  if (border !== undefined) return cutAt(lines, border);
  const split = splitLine(lines, whole, press);
  if (split && !(split.tearsWord && isFull(whole))) return split;
  return whole > 0 ? cutAt(lines, whole) : takePlainly(lines, press, fill);
}

function cutAt(lines: readonly Line[], border: number): Taken {
  return { page: lines.slice(0, border), rest: lines.slice(border) };
}

/** How many whole lines go into a message, found without writing out more than one could hold. */
function wholeLines(lines: readonly Line[], press: Press): number {
  let most = 0;
  for (let units = 0; most < lines.length; most += 1) {
    units += lengthOf(lines[most]!) + (most === 0 ? 0 : 1);
    if (units > press.mostUnits) break;
  }
  return mostThatFits(most, (count) => press.fullness(lines.slice(0, count)));
}

function lengthOf(line: Line): number {
  return line.spans.reduce((length, span) => length + span.text.length, 0);
}

function blockBorder(lines: readonly Line[], most: number): number {
  for (let at = most; at > 0; at -= 1) {
    if (lines[at]!.gap && lines[at - 1]!.form.kind !== "heading") return at;
  }
  return 0;
}

function lineBorder(lines: readonly Line[], most: number): number {
  return most > 0 && lines[most - 1]!.form.kind === "heading" ? most - 1 : most;
}

function splitLine(
  lines: readonly Line[],
  at: number,
  press: Press,
): (Taken & { tearsWord: boolean }) | null {
  const before = lines.slice(0, at);
  const line = lines[at]!;
  if (line.cells) return null;
  const text = textOf(line.spans);
  const fullness = (length: number) => press.fullness([...before, part(line, 0, length)]);
  const cut = cutPoint(text, press.mostUnits, fullness);
  if (cut === 0) return null;
  const lead = line.lead + " ".repeat(line.marker.length);
  const tail = { ...part(line, cut, text.length), marker: "", task: null, gap: false, lead };
  const tearsWord = /^\S\S/.test(text.slice(cut - 1, cut + 1));
  return { page: [...before, part(line, 0, cut)], rest: [tail, ...lines.slice(at + 1)], tearsWord };
}

function part(line: Line, from: number, to: number): Line {
  const spans = sliceSpans(line.spans, from, to);
  return { ...line, spans: line.form.kind === "code" ? spans : trimSpans(spans) };
}

/** Not even a part of the line fits, because of a long address or a wide row of a table. */
function takePlainly([line, ...others]: readonly Line[], press: Press, fill: number): Taken {
  const text = textOf(spellOutLinks(line!.spans));
  if (line!.form === PLAINLY) throw new RangeError("The limit of a message is too small to hold any text");
  return takePage([{ ...textLine(text, false), form: PLAINLY }, ...others], press, fill);
}
