import assert from "node:assert/strict";
import { test } from "node:test";
import { parse, problemsOf } from "../../../test/fixtures/config.ts";

test("broken syntax is the only problem reported, with line and column", () => {
  const result = parse('{\n  "hooks": { "enabled": yes },\n  "nonsense": 1\n}');
  assert.ok(!result.ok);
  assert.deepEqual(result.problems[0], {
    path: "",
    message: "a word needs double quotes; only true, false, null and numbers stand without",
    line: 2,
    column: 25,
  });
  assert.ok(result.problems.every(({ path }) => path === ""));
});

test("each kind of broken syntax has a sentence of its own", () => {
  const first = (text: string) => problemsOf(text)[0];
  assert.equal(first(""), ": the file is empty: {} is the least it can hold");
  assert.equal(first("// only\n/* this */"), ": the file is empty: {} is the least it can hold");
  assert.equal(first("{"), ": the file ends before everything is closed: a } or ] is missing");
  assert.equal(first('{ "a": [1 }'), ": a comma is missing before this");
  assert.equal(first('{ "a" 1 }'), ": a colon is missing before this");
  assert.equal(first("{} {}"), ": nothing may follow the closing }: is there one } too many before this?");
  assert.equal(first('{ "a": "x'), ": this text has no closing quote: add it, on the same line");
});

test("a repeated name is a problem at its second position", () => {
  const result = parse('{\n  "log": { "level": "info" },\n  "log": { "level": "warn" }\n}');
  assert.ok(!result.ok);
  assert.deepEqual(result.problems, [
    { path: "log", message: "is written twice; keep one of them", line: 3, column: 3 },
  ]);
});

test("lines are counted with every kind of line break", () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const result = parse(["{", '  "log": {', '    "level": 5', "  }", "}"].join(end));
    assert.ok(!result.ok);
    assert.deepEqual([result.problems[0]?.line, result.problems[0]?.column], [3, 5]);
  }
});
