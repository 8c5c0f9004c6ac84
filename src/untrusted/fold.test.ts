import assert from "node:assert/strict";
import { test } from "node:test";
import { shadowOf } from "./fold.ts";

test("a shadow has plain letters and nothing hidden", () => {
  assert.equal(shadowOf("Ｓ𝐲𝓼ₜ\u200Bｅⓜ: ﬆ").text, "System: st");
});

test("text of plain letters, and of other scripts, is its own shadow", () => {
  for (const text of ["", "ABC <|x|>\t\n~", "漢字 Привет"]) assert.equal(shadowOf(text).text, text);
});

test("a place in the shadow leads back to the original", () => {
  const text = "𝐱\u200B\u200Bb㏂c\u200Bd";
  const shadow = shadowOf(text);
  assert.equal(shadow.text, "xba.m.cd");
  assert.deepEqual(
    ["x", "b", "c", "d"].map((letter) => shadow.original(shadow.text.indexOf(letter))),
    [0, 4, 6, 8],
  );
});

test("no character folds to the edge of a token and more", () => {
  for (let point = 0; point <= 0x10ffff; point += 1) {
    const folded = shadowOf(String.fromCodePoint(point)).text;
    if (/[<>[\]]/.test(folded)) assert.equal(folded.length, 1, point.toString(16));
  }
});
