import assert from "node:assert/strict";
import { test } from "node:test";
import { countHidden, showHidden, unifyLineBreaks } from "./hidden.ts";

test("every kind of line break becomes a line feed", () => {
  assert.equal(
    unifyLineBreaks("a\r\nb\rc\vd\fe\u0085f\u2028g\u2029h\ni\n\r\nj"),
    "a\nb\nc\nd\ne\nf\ng\nh\ni\n\nj",
  );
});

test("hidden characters are shown", () => {
  const shown = {
    "a\u200Bb": "a⟦U+200B⟧b",
    "\u0000": "⟦U+0000⟧",
    "\u007F": "⟦U+007F⟧",
    "\u00AD": "⟦U+00AD⟧",
    "\u202Eevil": "⟦U+202E⟧evil",
    "\uFEFF": "⟦U+FEFF⟧",
    "\u3164": "⟦U+3164⟧",
    "\u{E0069}\u{E0067}": "⟦U+E0069⟧⟦U+E0067⟧",
    "\uE000": "⟦U+E000⟧",
    "\u{10FFFF}": "⟦U+10FFFF⟧",
    "\uFDD0": "⟦U+FDD0⟧",
    "\uD800x": "⟦U+D800⟧x",
    "\uDC00\uD800": "⟦U+DC00⟧⟦U+D800⟧",
  };
  for (const [text, expected] of Object.entries(shown)) assert.equal(showHidden(text), expected);
});

test("tabs, line feeds and all scripts are unchanged", () => {
  const text = "\tAä ß 漢字 عربي हिन्दी ไทย 한국어 e\u0301 \u00A0 ⟦⟧\n";
  assert.equal(showHidden(text), text);
});

test("complete emoji keep their hidden characters", () => {
  const text = "😀 ❤️ 👍🏽 👨‍👩‍👧‍👦 👩🏻‍❤️‍💋‍👩🏿 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪 1️⃣ #️⃣ 🏳️‍🌈 🏃🏻‍♀️‍➡️";
  assert.equal(showHidden(`\u0000${text}`), `⟦U+0000⟧${text}`);
  assert.equal(countHidden(text), 0);
});

test("incomplete or invented emoji do not keep them", () => {
  assert.equal(showHidden("👨‍👩"), "👨⟦U+200D⟧👩");
  assert.equal(showHidden("👨‍👩‍👧‍👦‍"), "👨‍👩‍👧‍👦⟦U+200D⟧");
  assert.equal(showHidden("😀\uFE0F"), "😀⟦U+FE0F⟧");
  assert.equal(showHidden("1\uFE0F"), "1⟦U+FE0F⟧");
  assert.equal(showHidden("🏴\u{E0069}\u{E007F}"), "🏴⟦U+E0069⟧⟦U+E007F⟧");
});

test("hidden characters are counted one by one", () => {
  assert.equal(countHidden("a\u200B\u{E0069}\u{E0067}❤️\uD800"), 4);
  assert.equal(countHidden("plain\ttext\n"), 0);
});
