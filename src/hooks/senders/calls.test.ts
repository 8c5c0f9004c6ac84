import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import type { LogFields } from "../../core/log.ts";
import { silentLog } from "../../core/log.ts";
import type { SenderCalls } from "../../core/sender.ts";
import { createCalls } from "./calls.ts";

function start() {
  const clock = createFakeClock();
  const written: (readonly SenderCalls[])[] = [];
  const lines: (LogFields | undefined)[] = [];
  const state = { isAway: false };
  const store = {
    async noteCalls(calls: readonly SenderCalls[]) {
      if (state.isAway) throw new Error("away");
      written.push(calls);
    },
  };
  const log = { ...silentLog, warn: (_: string, fields?: LogFields) => void lines.push(fields) };
  return { clock, written, lines, state, calls: createCalls({ store, clock, log }) };
}

test("calls are written together, every three seconds, and a quiet sender writes nothing", async () => {
  const { clock, written, calls } = start();
  for (let count = 0; count < 1000; count++) calls.note("github", "wrong-secret", null);
  calls.note("github", "proven", 40);
  await clock.advance(2999);
  assert.deepEqual(written, []);
  await clock.advance(1);
  assert.deepEqual(written, [
    [
      { name: "github", result: "wrong-secret", calls: 1000, agoMs: 3000, skewMs: null },
      { name: "github", result: "proven", calls: 1, agoMs: 3000, skewMs: 40 },
    ],
  ]);
  await clock.advance(60_000);
  assert.equal(written.length, 1);
  assert.equal(clock.waiting(), 0);
});

test("one line in the log says how many proofs failed, and none that all is well", async () => {
  const { clock, lines, calls } = start();
  for (let count = 0; count < 5; count++) calls.note("github", "too-old", -900_000);
  calls.note("github", "proven", null);
  await clock.advance(3000);
  assert.deepEqual(lines, [{ hook: "github", reason: "too-old", count: 5 }]);
});

test("what could not be written is written later, with its age", async () => {
  const { clock, written, state, calls } = start();
  state.isAway = true;
  calls.note("github", "proven", 10);
  await clock.advance(3000);
  state.isAway = false;
  calls.note("github", "proven", 20);
  await clock.advance(3000);
  assert.deepEqual(written, [[{ name: "github", result: "proven", calls: 2, agoMs: 3000, skewMs: 20 }]]);
});

test("a stop writes what is left", async () => {
  const { clock, written, calls } = start();
  calls.note("github", "proven", null);
  await calls.stop();
  assert.equal(written.length, 1);
  assert.equal(clock.waiting(), 0);
});
