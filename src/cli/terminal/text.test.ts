import assert from "node:assert/strict";
import test from "node:test";
import { createTestContext } from "../../../test/fixtures/command-line.ts";
import { painter, printFields, printJson } from "./output.ts";
import { formatTable } from "./table.ts";
import { fit, safeLine, safeText, widthOf } from "./text.ts";

const hostile = "a\u001b[2Jb\u009b31mc\u202ed\r\u0007\u2028e";

test("control and format characters are removed", () => {
  assert.equal(safeText(hostile), "a[2Jb31mcde");
  assert.equal(safeText("one\r\ntwo\tthree"), "one\ntwo\tthree");
  assert.equal(safeLine(" one\n\ttwo "), "one two");
  assert.equal(safeText("\ud800"), "\ufffd");
});

test("widths count terminal columns, not code units", () => {
  assert.equal(widthOf("日本"), 4);
  assert.equal(widthOf("e\u0301"), 1);
  assert.equal(widthOf("🎉"), 2);
  assert.equal(fit("abcdef", 6), "abcdef");
  assert.equal(fit("abcdefg", 6), "abcde…");
  assert.equal(fit("日本語です", 6), "日本…");
});

test("a table is aligned and fits the terminal", () => {
  const columns = [
    { title: "A", value: (row: readonly [string | null, string]) => row[0] },
    { title: "TEXT", value: (row: readonly [string | null, string]) => row[1] },
  ];
  const rows = [["日本", "x".repeat(500)] as const, [null, hostile] as const, ["y".repeat(99), ""] as const];
  const text = formatTable(columns, rows, 80);
  const lines = text.trimEnd().split("\n");
  assert.equal(lines.length, 4);
  for (const line of lines) assert.ok(widthOf(line) <= 80);
  assert.equal(widthOf(lines[1]!.slice(0, lines[1]!.indexOf("x"))), lines[0]!.indexOf("TEXT"));
  assert.doesNotMatch(text, /[^\n\P{Cc}]|\u202e/u);
});

test("JSON keeps its value, and its control characters are escaped", () => {
  const { context, written } = createTestContext([]);
  printJson(context, { text: hostile });
  assert.deepEqual(JSON.parse(written.stdout), { text: hostile });
  assert.doesNotMatch(written.stdout, /[^\n\P{Cc}]|[\u202e\u2028]/u);
});

test("fields show what is missing, and long texts below their name", () => {
  const { context, written } = createTestContext([]);
  printFields(context, { id: "x", error: null, reply: "one\ntwo" });
  assert.equal(written.stdout, "id:    x\nerror: -\nreply:\n  one\n  two\n");
});

test("colours appear only on a terminal, and never with NO_COLOR", () => {
  const paint = (more: object) => painter(createTestContext([], more).context)("red", "x");
  assert.equal(paint({}), "x");
  assert.notEqual(paint({ isTerminal: true }), "x");
  assert.equal(paint({ isTerminal: true, env: { NO_COLOR: "1" } }), "x");
});
