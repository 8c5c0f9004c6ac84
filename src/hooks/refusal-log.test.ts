import assert from "node:assert/strict";
import test from "node:test";
import { type Log, type LogFields, silentLog } from "../core/log.ts";
import { createRefusalLog } from "./refusal-log.ts";

function setUp(linesPerSecond?: number) {
  const lines: (LogFields | undefined)[] = [];
  const timers: (() => void)[] = [];
  const log: Log = { ...silentLog, warn: (_, fields) => void lines.push(fields) };
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    after(_delayMs: number, wake: () => void) {
      timers.push(wake);
      return () => {};
    },
  };
  return { lines, timers, refusals: createRefusalLog(log, clock, linesPerSecond) };
}

test("the first refusal is logged at once, the others of a second as one sum", () => {
  const { lines, timers, refusals } = setUp();
  for (let each = 0; each < 1000; each++) refusals.note("a", "unauthorized");
  assert.deepEqual(lines, [{ address: "a", code: "unauthorized", status: 401 }]);
  timers.pop()!();
  assert.deepEqual(lines[1], { address: "a", code: "unauthorized", status: 401, count: 999 });
  refusals.note("a", "unauthorized");
  assert.equal(lines.length, 3);
  timers.pop()!();
  assert.equal(lines.length, 3);
});

test("beyond the limit of lines, refusals are only counted", () => {
  const { lines, timers, refusals } = setUp(5);
  for (let each = 0; each < 1000; each++) refusals.note(String(each), "unauthorized");
  assert.equal(lines.length, 5);
  assert.equal(timers.length, 1);
  timers.pop()!();
  assert.deepEqual(lines[5], { count: 995 });
});
