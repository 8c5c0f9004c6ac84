import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeEntities } from "./entities.ts";

test("named and numeric references with a semicolon are decoded", () => {
  assert.equal(
    decodeEntities("&lt;b&gt; &AMP; &CounterClockwiseContourIntegral; &#65;&#x1F600;"),
    "<b> & ∳ A😀",
  );
});

test("a reference without its semicolon, and one that HTML does not know, stay as they are", () => {
  for (const text of ["a & b", "&amp", "&copy2", "&nothing;", "&;", "&#;", "&#x;"])
    assert.equal(decodeEntities(text), text);
});

test("a reference never becomes a control character or half a pair", () => {
  for (const text of ["&#0;", "&#10;", "&NewLine;", "&Tab;", "&#x1b;", "&#xD800;", "&#1114112;"])
    assert.equal(decodeEntities(text), "\uFFFD", text);
});
