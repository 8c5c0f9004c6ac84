import assert from "node:assert/strict";
import { Writable } from "node:stream";
import test from "node:test";
import type { LogFields } from "../core/log.ts";
import { createLog } from "./log.ts";

function capture() {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  return { lines, stream };
}

test("a line is JSON with the time, the level, the message and the fields", () => {
  const { lines, stream } = capture();
  createLog({ level: "info", format: "auto" }, stream).warn("refused", { code: "unauthorized", count: 3 });
  const { time, ...rest } = JSON.parse(lines[0]!) as Record<string, unknown>;
  assert.match(String(time), /^\d{4}-\d\d-\d\dT/);
  assert.deepEqual(rest, { level: "warn", message: "refused", code: "unauthorized", count: 3 });
});

test("only the fields of the port are logged", () => {
  const { lines, stream } = capture();
  const fields = { code: "x", token: "secret", headers: { a: "secret" }, reason: { deep: "secret" } };
  createLog({ level: "debug", format: "json" }, stream).info("m", fields as unknown as LogFields);
  assert.ok(!lines.join("").includes("secret"));
  assert.ok(lines[0]!.includes('"code":"x"'));
});

test("text is one line, without control characters, and short", () => {
  const { lines, stream } = capture();
  const reason = `a\r\n{"level":"error"}\u001b[31m\u0000\u202e${"x".repeat(5_000)}`;
  createLog({ level: "debug", format: "json" }, stream).error("one\ntwo", { reason });
  assert.equal(lines.length, 1);
  const entry = JSON.parse(lines[0]!) as { message: string; reason: string };
  assert.equal(entry.message, "one two");
  assert.equal(entry.reason.length, 300);
  assert.doesNotMatch(entry.reason, /[\p{Cc}\p{Cf}]/u);
});

test("the level can be changed while running", () => {
  const { lines, stream } = capture();
  const log = createLog({ level: "warn", format: "json" }, stream);
  log.info("hidden");
  log.setLevel("debug");
  log.debug("shown");
  log.setLevel("silent");
  log.error("hidden");
  assert.equal(lines.length, 1);
  assert.ok(lines[0]!.includes("shown"));
});

test("pretty lines are for people", async () => {
  const line = await new Promise<string>((resolve) => {
    const stream = new Writable({ write: (chunk: Buffer) => resolve(chunk.toString()) });
    createLog({ level: "info", format: "pretty" }, stream).info("listening", { count: 1 });
  });
  assert.match(line, /INFO.*listening/);
});
