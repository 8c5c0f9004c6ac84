import assert from "node:assert/strict";
import { test } from "node:test";
import { shorten } from "./shorten.ts";

test("short text is unchanged", () => {
  assert.equal(shorten("abc", 3), "abc");
  assert.equal(shorten("abc", 3, "…"), "abc");
});

test("long text is cut; its mark counts towards the length", () => {
  assert.equal(shorten("abcd", 3), "abc");
  assert.equal(shorten("abcd", 3, "…"), "ab…");
});

test("neither a surrogate pair nor an emoji is halved", () => {
  assert.equal(shorten("a😀b", 2), "a");
  assert.equal(shorten("👨‍👩‍👧‍👦x", 11), "👨‍👩‍👧‍👦");
  for (let limit = 0; limit < 11; limit += 1) assert.equal(shorten("👨‍👩‍👧‍👦", limit), "");
  assert.equal(shorten("a❤️b", 2), "a");
});
