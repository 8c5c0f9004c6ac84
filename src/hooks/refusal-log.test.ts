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
  for (let each = 0; each < 1000; each++) refusals.note({ address: "a", code: "unauthorized" });
  assert.deepEqual(lines, [{ address: "a", code: "unauthorized", status: 401 }]);
  timers.pop()!();
  assert.deepEqual(lines[1], { address: "a", code: "unauthorized", status: 401, count: 999 });
  refusals.note({ address: "a", code: "unauthorized" });
  assert.equal(lines.length, 3);
  timers.pop()!();
  assert.equal(lines.length, 3);
});

test("beyond the limit of lines, refusals are only counted", () => {
  const { lines, timers, refusals } = setUp(5);
  for (let each = 0; each < 1000; each++) refusals.note({ address: String(each), code: "unauthorized" });
  assert.equal(lines.length, 5);
  assert.equal(timers.length, 1);
  timers.pop()!();
  assert.deepEqual(lines[5], { count: 995 });
});

test("a refusal names its hook and its first field; each hook and field has a sum of its own", () => {
  const { lines, timers, refusals } = setUp();
  const wake = { address: "a", code: "invalid-payload", hook: "wake", field: "text" } as const;
  for (const refused of [wake, { ...wake, field: "mode" }, wake, { ...wake, hook: "agent" }])
    refusals.note(refused);
  timers.pop()!();
  const line = (hook: string, field: string) => ({
    address: "a",
    code: "invalid-payload",
    hook,
    field,
    status: 400,
  });
  assert.deepEqual(lines, [
    line("wake", "text"),
    line("wake", "mode"),
    line("agent", "text"),
    { ...line("wake", "text"), count: 1 },
  ]);
});
