import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { silentLog } from "../core/log.ts";
import { createRetentionKeeper } from "./retention.ts";
import type { Retention } from "../core/retention.ts";

const day = 86_400_000;

function keeperOver(left: number[], finishedMs = 30 * day, requestsMs = 7 * day) {
  const clock = createFakeClock();
  const asked: Retention[] = [];
  const store = {
    sweep: (retention: Retention) => {
      asked.push(retention);
      return Promise.resolve(left.shift() ?? 0);
    },
  };
  const keeper = createRetentionKeeper({
    store,
    finishedMs: () => finishedMs,
    requestsMs: () => requestsMs,
    clock,
    log: silentLog,
  });
  return { keeper, clock, asked };
}

test("sweeps in steps until nothing old is left, and again later", async () => {
  const { keeper, clock, asked } = keeperOver([500, 500, 3]);
  keeper.start();
  await clock.advance(59_999);
  assert.equal(asked.length, 0);
  await clock.advance(1);
  for (let step = 0; step < 3; step++) await clock.advance(20);
  assert.equal(asked.length, 4, "three steps, and one that found nothing");
  assert.deepEqual(asked[0], {
    finishedMs: 30 * day,
    requestsMs: 7 * day,
    idempotencyMs: day,
    conversationTurns: 2000,
  });
  await clock.advance(600_000);
  assert.equal(asked.length, 5);
  await keeper.stop();
  await clock.advance(6_000_000);
  assert.equal(asked.length, 5);
});

test("records of requests are kept no longer than runs", async () => {
  const { keeper, asked } = keeperOver([], day);
  assert.equal(await keeper.sweep(), 0);
  assert.equal(asked[0]?.requestsMs, day);
});

test("requests are kept as long as is configured, and where they are not, what led to nothing for a week", async () => {
  for (const [configured, kept] of [
    [3 * day, 3 * day],
    [0, 7 * day],
  ] as const) {
    const { keeper, asked } = keeperOver([], 30 * day, configured);
    await keeper.sweep();
    assert.equal(asked[0]?.requestsMs, kept);
  }
});
