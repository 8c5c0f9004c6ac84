import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { createLineReader, linesOf, readLines } from "./lines.ts";

const chunks = ["ün", "ï\n\nab\n0123", "456789x", "yz", "\nnext\nla", "st"];
const expected = ["ünï", "ab", "next", "last"];

test("lines are whole however they arrive; a line that is too long is reported once and left out", () => {
  const lines: string[] = [];
  let tooLong = 0;
  const reader = createLineReader(10, { onLine: (line) => lines.push(line), onTooLong: () => tooLong++ });
  for (const byte of Buffer.from(chunks.join(""))) reader.take(Buffer.from([byte]));
  reader.end();
  assert.deepEqual(lines, expected);
  assert.equal(tooLong, 1);
});

test("the lines of a stream come with its end, too", async () => {
  const lines: string[] = [];
  const stream = new PassThrough();
  readLines(stream, 10, { onLine: (line) => lines.push(line), onTooLong: () => {} });
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await new Promise((resolve) => stream.on("close", resolve));
  assert.deepEqual(lines, expected);
});

test("a reader that sets the pace gets the same lines, and ends where a line is too long if it says so", async () => {
  async function* pieces() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  assert.deepEqual(await Array.fromAsync(linesOf(pieces(), 10, () => {})), expected);
  const giveUp = () => {
    throw new RangeError("too long");
  };
  await assert.rejects(Array.fromAsync(linesOf(pieces(), 10, giveUp)), RangeError);
});
