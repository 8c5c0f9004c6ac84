import assert from "node:assert/strict";
import { test } from "node:test";
import { parse, problemsOf } from "../../../test/fixtures/config.ts";

test("broken syntax is the only problem reported, with line and column", () => {
  const result = parse('{\n  "hooks": { "enabled": yes },\n  "nonsense": 1\n}');
  assert.ok(!result.ok);
  assert.deepEqual(result.problems[0], {
    path: "",
    message: "this word cannot stand here; texts need double quotes",
    line: 2,
    column: 25,
  });
  assert.ok(result.problems.every(({ path }) => path === ""));
});

test("each kind of broken syntax has a sentence of its own", () => {
  const first = (text: string) => problemsOf(text)[0];
  assert.equal(first(""), ": the file is empty: {} is the least it can hold");
  assert.equal(first("// only\n/* this */"), ": the file is empty: {} is the least it can hold");
  assert.equal(first("{"), ": a closing } was expected");
  assert.equal(first('{ "a": [1 }'), ": a comma was expected");
  assert.equal(first('{ "a" 1 }'), ": a colon was expected");
  assert.equal(first("{} {}"), ": nothing more was expected after the closing }");
  assert.equal(first('{ "a": "x'), ": the text has no closing quote");
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
