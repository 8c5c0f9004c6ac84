import assert from "node:assert/strict";
import { test } from "node:test";
import { createToolCalls } from "./tool-calls.ts";

function setUp(keepsTexts = false) {
  const time = { ms: 0 };
  const calls = createToolCalls(() => time.ms, keepsTexts);
  const start = (id: string, name = "read", input?: () => string) =>
    calls.take({ kind: "tool", state: "started", id, name, ...(input && { input }) });
  const end = (id: string, ok: boolean | null = true, output?: () => string) =>
    calls.take({ kind: "tool", state: "ended", id, ok, ...(output && { output }) });
  return { time, calls, start, end };
}

test("calls are kept with their times from the beginning of the attempt, also those that have not ended", () => {
  const { time, calls, start, end } = setUp();
  time.ms = 10;
  assert.deepEqual(start("a"), { kind: "tool", name: "read", state: "started", ms: null, ok: null });
  time.ms = 12;
  start("b", "write");
  start("c", "fetch");
  time.ms = 30;
  assert.deepEqual(end("b", false), { kind: "tool", name: "write", state: "ended", ms: 18, ok: false });
  end("c", null);
  const texts = { input: null, output: null };
  assert.deepEqual(calls.list(), [
    { name: "read", atMs: 10, tookMs: null, ok: null, ...texts },
    { name: "write", atMs: 12, tookMs: 18, ok: false, ...texts },
    { name: "fetch", atMs: 12, tookMs: 18, ok: null, ...texts },
  ]);
});

test("an end without a beginning and a second end say nothing; an id may be used again", () => {
  const { calls, start, end } = setUp();
  assert.equal(end("a"), null);
  start("a");
  end("a", true);
  assert.equal(end("a", false), null);
  start("a", "write");
  end("a", false);
  assert.deepEqual(
    calls.list().map(({ name, ok }) => [name, ok]),
    [
      ["read", true],
      ["write", false],
    ],
  );
});

test("inputs and outputs are not even read unless they are kept, and then up to 4,096 characters", () => {
  const never = () => assert.fail("it was read");
  const without = setUp();
  without.start("a", "read", never);
  without.end("a", true, never);
  assert.deepEqual([without.calls.list()[0]?.input, without.calls.list()[0]?.output], [null, null]);
  const { calls, start, end } = setUp(true);
  start("a", "read", () => '{"path":"a"}');
  end("a", true, () => "x".repeat(4097));
  start("b");
  end("b");
  assert.deepEqual(
    calls.list().map(({ input, output }) => [input, output]),
    [
      ['{"path":"a"}', `${"x".repeat(4095)}…`],
      [null, null],
    ],
  );
});

test("200 calls are kept, and a warning says of how many; more are told on, but not without end", () => {
  const { calls, start, end } = setUp();
  for (let at = 0; at < 200; at++) start(`${at}`);
  assert.equal(calls.warning(), null);
  for (let at = 200; at < 5000; at++) assert.ok(start(`${at}`));
  assert.ok(end("4999"));
  assert.equal(start("5000"), null);
  assert.equal(calls.list().length, 200);
  assert.equal(calls.warning(), "Of 5001 calls of tools, the first 200 are kept.");
});

test("a name is one line of at most 200 characters, and never empty", () => {
  const { calls, start } = setUp();
  for (const name of ["a\n\u001b[31mb", "x".repeat(300), " \n"]) start(name, name);
  assert.deepEqual(
    calls.list().map(({ name }) => name),
    ["a [31mb", `${"x".repeat(199)}…`, "unnamed"],
  );
});
