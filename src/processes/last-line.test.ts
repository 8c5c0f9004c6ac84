import assert from "node:assert/strict";
import { test } from "node:test";
import { lastLineOf } from "./last-line.ts";

const cases: [string, string, string | null][] = [
  ["nothing", "", null],
  ["blank lines", "\n \r\n\t\n", null],
  ["one line", "Starting.\n", "Starting."],
  ["the last of several", "one\ntwo\n\n  \n", "two"],
  ["a line that has not ended", "one\ntwo", "two"],
  ["a bar of progress, drawn again", "\r10 %\r20 %\r30 %", "30 %"],
  ["colours", "\u001b[31mred\u001b[0m\u001b[2K\n", "red"],
  ["control characters and tabs", "a\u0007\tb\u0000c\n", "a b c"],
];
for (const [what, tail, line] of cases) test(what, () => assert.equal(lastLineOf(tail, false), line));

test("a long line is cut, and never in the middle of a character", () => {
  const line = lastLineOf("🙂".repeat(500), false);
  assert.ok(line !== null && line.isWellFormed() && line.endsWith("🙂…"));
  assert.ok(line.length <= 200 && line.length > 190);
});

test("of a line whose beginning is gone the end is shown", () => {
  const line = lastLineOf(`${"x".repeat(1990)}the end`, true);
  assert.ok(line !== null && line.startsWith("…xx") && line.endsWith("the end"));
  assert.equal(line.length, 200);
  const emoji = lastLineOf(`a${"🙂".repeat(499)}`, true);
  assert.ok(emoji?.isWellFormed() && emoji.length <= 200);
  assert.equal(lastLineOf(`${"x".repeat(1900)}\nshort\n`, true), "short");
});
