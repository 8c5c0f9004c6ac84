import assert from "node:assert/strict";
import test from "node:test";
import { aClaimedRun, aRun } from "../../../test/builders/run.ts";
import { createTestContext } from "../../../test/fixtures/command-line.ts";
import type { Clock } from "../../core/clock.ts";
import { createProgress } from "../terminal/progress.ts";
import { waitForRun } from "./wait.ts";

test("it polls until the run has ended, with a progress line on a terminal", async () => {
  let now = 0;
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    after(delayMs, wake) {
      now += delayMs;
      queueMicrotask(wake);
      return () => {};
    },
  };
  const { context, written } = createTestContext([], { errorIsTerminal: true, clock });
  const base = {
    ...aRun(),
    attempts: 1,
    createdAt: 0,
    startedAt: 0,
    reply: null,
    error: null,
    signals: null,
    lastLine: null,
    report: null,
    nextTryAt: null,
    retriedAs: null,
  };
  const findRun = async () => ({ ...base, status: "running" as const, endedAt: now >= 3000 ? now : null });
  const ended = await waitForRun({ findRun }, base.id, { clock, progress: createProgress(context) });
  assert.equal(ended.endedAt, 3000);
  assert.match(written.stderr, /the run is running, 2 s/);
  assert.doesNotMatch(written.stderr, /, 0 s/);
  assert.ok(written.stderr.endsWith("\u001b[2K"));
});

test("while a run waits for its next try, the progress line says when that is, and why", async () => {
  let polls = 0;
  let now = 0;
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    after(delayMs, wake) {
      now += delayMs;
      queueMicrotask(wake);
      return () => {};
    },
  };
  const { context, written } = createTestContext([], { errorIsTerminal: true, clock, columns: 200 });
  const run = { ...aClaimedRun(), status: "queued" as const, error: "down", nextTryAt: 60_000 };
  const findRun = async () => ({ ...run, endedAt: polls++ < 9 ? null : now });
  await waitForRun({ findRun }, run.id, { clock, progress: createProgress(context) });
  assert.match(written.stderr, /the run is queued, next try at 1970-01-01T00:01:00Z, after: down, 1 s/);
});
