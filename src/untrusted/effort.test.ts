import assert from "node:assert/strict";
import { test } from "node:test";
import { effortOf } from "./effort.ts";

test("usual text is as much work as it has characters, in any language", () => {
  for (const text of ["Hello, world.\n", "Grüße aus Köln", "您好，世界", "😀 done"])
    assert.equal(effortOf(text, 1000), text.length, text);
});

test("what is hidden or may be a token is more work than other characters", () => {
  for (const piece of ["\u200b", "👩\u200d", "\u007f", "1\ufe0f", "\u{e0069}", "\ud800"])
    assert.ok(effortOf(piece.repeat(100), 1e6) >= 30 * 100, JSON.stringify(piece));
  for (const piece of ["<s>", "[INST]", "＜|", "<|[INST]|>"])
    assert.ok(effortOf(piece.repeat(100), 1e6) >= 10 * 100, piece);
});

test("what is over the limit is not counted to its end", () => {
  assert.equal(effortOf("\u200b".repeat(1_000_000), 1_000_000), 1_000_030);
  assert.equal(effortOf("x".repeat(2000), 1000), 2000);
});
