import assert from "node:assert/strict";
import { test } from "node:test";
import { createMetrics } from "./metrics.ts";
import type { State } from "./state.ts";

const state: State = {
  work: {
    queued: 3,
    running: 2,
    parked: 1,
    oldestSeconds: 4.5,
    events: 6,
    deliveries: [
      { channel: "telegram", waiting: 2, oldestSeconds: 9 },
      { channel: "gone-one", waiting: 1, oldestSeconds: 5 },
      { channel: "gone-two", waiting: 1, oldestSeconds: 7 },
    ],
  },
  storeUp: true,
  connections: 8,
  inHand: { runs: 2, deliveries: 1 },
  process: {
    version: "1.2.3",
    startedAtSeconds: 1,
    cpuSeconds: 2,
    residentBytes: 3,
    heapBytes: 4,
    loopBusySeconds: 5,
    loopIdleSeconds: 6,
    loopDelay: { median: 0.001, p99: 0.002, longest: 0.003 },
  },
};
const names = { hooks: ["wake", "agent"], agents: ["main"], channels: ["telegram"], platforms: ["slack"] };

function known() {
  const metrics = createMetrics();
  metrics.know(names);
  return metrics;
}
const linesOf = (metrics: ReturnType<typeof known>, name: string, now = state): string[] =>
  metrics
    .render(now)
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));

test("names that the configuration does not know share one series", () => {
  const metrics = known();
  for (let index = 0; index < 1000; index++) metrics.requestEnded(`name-${index}`, "unknown-hook", 0.001);
  metrics.requestEnded("wake", "accepted", 0.001);
  metrics.runEnded({ kind: "hook", hook: "removed", agentId: "removed" }, "failed", 1);
  metrics.deliveryEnded("removed", "failed", 1);
  metrics.deliveryEnded("slack", "failed", null);
  assert.deepEqual(linesOf(metrics, "rouse_requests_total"), [
    'rouse_requests_total{hook="wake",code="accepted"} 1',
    'rouse_requests_total{hook="agent",code="accepted"} 0',
    'rouse_requests_total{hook="other",code="unknown-hook"} 1000',
  ]);
  assert.deepEqual(linesOf(metrics, "rouse_runs_total"), [
    'rouse_runs_total{hook="other",agent="other",outcome="failed"} 1',
  ]);
  const deliveries = linesOf(metrics, "rouse_deliveries_total");
  assert.ok(deliveries.includes('rouse_deliveries_total{channel="other",outcome="failed"} 1'));
  assert.ok(deliveries.includes('rouse_deliveries_total{channel="slack",outcome="failed"} 1'));
  assert.ok(deliveries.includes('rouse_deliveries_total{channel="telegram",outcome="sent"} 0'));
});

test("counts stay when the configuration changes", () => {
  const metrics = known();
  metrics.requestEnded("agent", "accepted", 0.001);
  metrics.know({ ...names, hooks: ["build"] });
  metrics.requestEnded("agent", "accepted", 0.001);
  metrics.requestEnded("build", "accepted", 0.001);
  assert.deepEqual(linesOf(metrics, "rouse_requests_total").toSorted(), [
    'rouse_requests_total{hook="agent",code="accepted"} 1',
    'rouse_requests_total{hook="build",code="accepted"} 1',
    'rouse_requests_total{hook="other",code="accepted"} 1',
    'rouse_requests_total{hook="wake",code="accepted"} 0',
  ]);
});

test("heartbeats are counted apart from hook runs", () => {
  const metrics = known();
  metrics.runEnded({ kind: "heartbeat", hook: "heartbeat", agentId: "main" }, "succeeded", 2);
  metrics.runEnded({ kind: "hook", hook: "agent", agentId: "main" }, "timed-out", 30);
  assert.deepEqual(linesOf(metrics, "rouse_heartbeats_total"), [
    'rouse_heartbeats_total{outcome="succeeded"} 1',
    'rouse_heartbeats_total{outcome="failed"} 0',
  ]);
  assert.deepEqual(linesOf(metrics, "rouse_runs_total"), [
    'rouse_runs_total{hook="agent",agent="main",outcome="timed-out"} 1',
  ]);
  assert.deepEqual(linesOf(metrics, "rouse_run_seconds_sum"), [
    'rouse_run_seconds_sum{kind="heartbeat"} 2',
    'rouse_run_seconds_sum{kind="hook"} 30',
  ]);
});

test("stored work is shown as it is now, and left out while the store is away", () => {
  const metrics = known();
  assert.deepEqual(linesOf(metrics, "rouse_queue_runs"), [
    'rouse_queue_runs{state="queued"} 3',
    'rouse_queue_runs{state="running"} 2',
    'rouse_queue_runs{state="parked"} 1',
  ]);
  assert.deepEqual(linesOf(metrics, "rouse_deliveries_waiting"), [
    'rouse_deliveries_waiting{channel="telegram"} 2',
    'rouse_deliveries_waiting{channel="other"} 2',
  ]);
  assert.deepEqual(linesOf(metrics, "rouse_deliveries_oldest_seconds"), [
    'rouse_deliveries_oldest_seconds{channel="telegram"} 9',
    'rouse_deliveries_oldest_seconds{channel="other"} 7',
  ]);
  const away = { ...state, work: null, storeUp: false };
  assert.deepEqual(linesOf(metrics, "rouse_queue_runs", away), []);
  assert.deepEqual(linesOf(metrics, "rouse_deliveries_waiting", away), []);
  assert.deepEqual(linesOf(metrics, "rouse_store_up", away), ["rouse_store_up 0"]);
  assert.deepEqual(linesOf(metrics, "rouse_store_up"), ["rouse_store_up 1"]);
});
