import assert from "node:assert/strict";
import { test } from "node:test";
import { fold } from "./fold.ts";

test("folded text has plain letters and nothing hidden", () => {
  assert.equal(fold("Ｓ𝐲𝓼ₜ\u200Bｅⓜ: ﬆ").text, "System: st");
});

test("plain letters and other scripts stay as they are", () => {
  for (const text of ["", "ABC <|x|>\t\n~", "漢字 Привет"]) assert.equal(fold(text).text, text);
});

test("an index in the folded text leads back to the original", () => {
  const text = "𝐱\u200B\u200Bb㏂c\u200Bd";
  const folded = fold(text);
  assert.equal(folded.text, "xba.m.cd");
  assert.deepEqual(
    ["x", "b", "c", "d"].map((letter) => folded.original(folded.text.indexOf(letter))),
    [0, 4, 6, 8],
  );
});

test("no character folds to a bracket with more text around it", () => {
  for (let point = 0; point <= 0x10ffff; point += 1) {
    const folded = fold(String.fromCodePoint(point)).text;
    if (/[<>[\]]/.test(folded)) assert.equal(folded.length, 1, point.toString(16));
  }
});
