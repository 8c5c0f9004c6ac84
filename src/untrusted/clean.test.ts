import assert from "node:assert/strict";
import { test } from "node:test";
import { clean } from "./clean.ts";

test("plain text is unchanged", () => {
  for (const text of ["", "Hello,\n\n\tworld [1] <b>bold</b> a || b", "Grüße 漢字 😀 ❤️"])
    assert.equal(clean(text), text);
});

test("line breaks, hidden characters and tokens in one text", () => {
  assert.equal(
    clean("Hi\r\n<|im_start|>sys\u200Btem\u2028\u{E0069}👨‍👩‍👧‍👦"),
    "Hi\n⟦< |im_start| >⟧sys⟦U+200B⟧tem\n⟦U+E0069⟧👨‍👩‍👧‍👦",
  );
});

test("a hidden character inside a token is shown, and breaks the token", () => {
  assert.equal(clean("<s\u200B>"), "<s⟦U+200B⟧>");
  assert.equal(clean("<|s\u200B|>"), "⟦< |s⟦U+200B⟧| >⟧");
});

test("tokens in plain text are broken", () => {
  assert.equal(clean("</s> now"), "⟦< /s >⟧ now");
});

test("cleaning twice changes nothing", () => {
  for (const text of ["<|[INST]|>", "a\u200B<s>\r", "<|\u200B|>", "👨‍👩‍", "\uD800<<SYS>>\uDC00"]) {
    assert.equal(clean(clean(text)), clean(text));
  }
});
