// Whether a regular expression's work grows with its text, and not with the text's square.
import assert from "node:assert/strict";
import { assertLinear } from "./growth.ts";
import { type Attack, attacksOn } from "./pattern-attacks.ts";

/** The shortest is tried first: exponential work on it is long, and on any other has no end. */
const lengths = [24, 100, 400, 1600, 6400, 25_600];
/** Linear work on the longest text takes less, unless the machine is busy: then it is measured with care. */
const suspiciousMs = 8;

/** Throws with the attack whose work grows too fast. */
export function assertPatternLinear(pattern: RegExp): void {
  const { source, flags } = pattern;
  for (const attack of attacksOn(source, flags)) {
    const slow = lengths.find((length) => workMs(pattern, textOf(attack, length)) > suspiciousMs);
    if (slow === undefined) continue;
    const what = `/${source}/${flags} on ${JSON.stringify(attack)}`;
    assert.ok(slow > 24, `${what}: the work is exponential, more than 4 times the input`);
    assertLinear(what, slow / 2, (length) => work(pattern, textOf(attack, length)));
  }
}

const textOf = ({ prefix, pump, suffix }: Attack, length: number): string =>
  prefix + pump.repeat(Math.ceil(length / pump.length)) + suffix;

function workMs(pattern: RegExp, text: string): number {
  const before = process.threadCpuUsage();
  work(pattern, text);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** As far as the pattern's own flags lead: the first match, or every one. */
function work(pattern: RegExp, text: string): void {
  pattern.lastIndex = 0;
  if (pattern.global) text.replace(pattern, "");
  else pattern.test(text);
}
