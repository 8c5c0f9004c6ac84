import assert from "node:assert/strict";
import { test } from "node:test";
import { metadata } from "./metadata.ts";

test("a name is quoted", () => {
  assert.equal(metadata("github"), '"github"');
  assert.equal(metadata('Ann "the\\boss"'), String.raw`"Ann \"the\\boss\""`);
});

test("the result is one clean line", () => {
  assert.equal(metadata("a\r\nb\u2028c\u200B<s>"), '"a b c⟦U+200B⟧⟦< s >⟧"');
  assert.equal(metadata("<|a\nb|>"), '"⟦< |a b| >⟧"');
});

test("a long value is cut before it is quoted", () => {
  assert.equal(metadata("abcdef", 4), '"abc…"');
  assert.equal(JSON.parse(metadata('"'.repeat(500))).length, 200);
});
