import assert from "node:assert/strict";
import { test } from "node:test";
import { noMetrics } from "../core/metrics.ts";
import { createRecent, withRecent } from "./recent.ts";

function createCounted() {
  let now = Date.parse("2026-01-01T00:00:10Z");
  const recent = createRecent({ now: () => now });
  const metrics = withRecent({ ...noMetrics }, recent);
  return { recent, metrics, advance: (ms: number) => void (now += ms) };
}

const run = { kind: "hook", hook: "agent", agentId: "main" } as const;
const sum = (numbers: readonly number[] | undefined): number => (numbers ?? []).reduce((a, b) => a + b, 0);

test("outcomes are counted in steps of half a minute, and forgotten after an hour", () => {
  const { recent, metrics, advance } = createCounted();
  metrics.requestEnded("agent", "accepted", 0.01);
  metrics.runEnded(run, "failed", 1);
  advance(30_000);
  metrics.requestEnded("agent", "accepted", 0.01);
  metrics.requestEnded("agent", "accepted", 0.01);
  metrics.deliveryEnded("slack", "sent", 1);
  const read = recent.read();
  assert.equal(read.until, Date.parse("2026-01-01T00:01:00Z"));
  assert.equal(read.requests["accepted"]?.length, 120);
  assert.deepEqual(read.requests["accepted"]?.slice(-3), [0, 1, 2]);
  assert.deepEqual(read.runs["failed"]?.slice(-2), [1, 0]);
  assert.deepEqual(read.deliveries["sent"]?.slice(-2), [0, 1]);
  advance(119 * 30_000 - 1);
  assert.equal(sum(recent.read().requests["accepted"]), 2, "the first step is an hour ago");
  advance(3_600_000);
  assert.equal(sum(recent.read().requests["accepted"]), 0);
});

test("every code of a request has an outcome, and a handshake has none", () => {
  const { recent, metrics } = createCounted();
  for (const code of [
    "replayed",
    "skipped",
    "unauthorized",
    "mapping-failed",
    "queue-full",
    "invalid-json",
    "handshake",
  ] as const)
    metrics.requestEnded("agent", code, 0.01);
  const counted = Object.entries(recent.read().requests).map(
    ([outcome, numbers]) => `${outcome} ${sum(numbers)}`,
  );
  assert.deepEqual(counted, [
    "accepted 0",
    "repeated 1",
    "skipped 1",
    "refused 1",
    "unauthorized 1",
    "failed 1",
    "full 1",
  ]);
});

test("a clock that is set back loses nothing", () => {
  const { recent, metrics, advance } = createCounted();
  metrics.requestEnded("agent", "accepted", 0.01);
  advance(-3_600_000);
  metrics.requestEnded("agent", "accepted", 0.01);
  assert.equal(recent.read().requests["accepted"]?.at(-1), 2);
});
