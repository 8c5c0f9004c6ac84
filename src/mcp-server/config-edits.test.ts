import assert from "node:assert/strict";
import { test } from "node:test";
import { applyEdits, changedLines } from "./config-edits.ts";

const text = '{\n  // a comment\n  "a": 1,\n  "b": 1,\n}\n';

test("an edit replaces text that stands in the config exactly once", () => {
  assert.equal(
    applyEdits(text, [
      { old: '"a": 1', new: '"a": 2' },
      { old: '"a": 2,\n', new: '"a": 2,\n  "c": 3,\n' },
    ]),
    '{\n  // a comment\n  "a": 2,\n  "c": 3,\n  "b": 1,\n}\n',
  );
  assert.equal(
    applyEdits(text, [{ old: "a comment", new: "$& $1" }]),
    text.replace("a comment", () => "$& $1"),
  );
});

test("text that is missing or stands there twice is refused, and the edit is named", () => {
  assert.throws(
    () =>
      applyEdits(text, [
        { old: '"a"', new: '"c"' },
        { old: '"a"', new: "" },
      ]),
    /old text of edit 2 is not in the config/,
  );
  assert.throws(
    () => applyEdits(text, [{ old: ": 1", new: ": 2" }]),
    /edit 1 stands in the config more than once/,
  );
});

test("the lines that change, with their number", () => {
  assert.equal(changedLines(text, text), "");
  assert.equal(changedLines(text, text.replace('"a": 1', '"a": 2')), 'line 3:\n-   "a": 1,\n+   "a": 2,');
  assert.equal(changedLines("a\na\n", "a\na\na\n"), "line 3:\n+ a");
  assert.equal(changedLines("a\nb\n", "a\n"), "line 2:\n- b");
});
