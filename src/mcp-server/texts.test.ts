import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { hostileText } from "../../test/fixtures/hostile-text.ts";
import { cases } from "../../test/support/cases.ts";
import { clean } from "../untrusted/clean.ts";
import { cutWords, windowOf } from "./texts.ts";

test("windows one after the other are the whole text, and none is longer than asked once it is cleaned", () => {
  const longest = 60;
  fc.assert(
    fc.property(fc.array(hostileText, { maxLength: 20 }), (texts) => {
      const text = texts.join("");
      let read = "";
      for (let from: number | null = 0; from !== null;) {
        const window = windowOf(text, from, longest);
        assert.ok(clean(window.text).length <= longest);
        read += window.text;
        from = window.next;
      }
      assert.equal(read, text);
    }),
    cases(200),
  );
});

test("a cut says what is shown and how to get the rest; a whole text says nothing", () => {
  const more = (next: number) => `show from ${next}`;
  const text = "x".repeat(100);
  assert.equal(
    cutWords(windowOf(text, 0, 40), more),
    "Characters 0 to 40 of 100 are shown. The next ones: show from 40.",
  );
  assert.equal(
    cutWords(windowOf(text, 80, 40), more),
    "Characters 80 to 100 of 100 are shown, which are the last.",
  );
  assert.equal(cutWords(windowOf(text, 0, 100), more), null);
  assert.deepEqual(windowOf("abc", 9, 5), { text: "", from: 3, next: null, of: 3 });
});
