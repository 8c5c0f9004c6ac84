import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../test/fakes/clock.ts";
import { createProcessStats } from "./process.ts";

test("a blocked event loop shows as delay, from the first read on", async (t) => {
  const stats = createProcessStats({ shortestWindowMs: 0 });
  t.after(stats.stop);
  const first = stats.read();
  assert.equal(first.loopDelay, null);
  assert.ok(first.cpuSeconds > 0 && first.residentBytes > 1e6 && first.heapBytes > 1e6);
  assert.match(first.version, /^\d+\.\d+\.\d+/);
  await eventually(() => {
    const until = performance.now() + 200;
    while (performance.now() < until);
    return (stats.read().loopDelay?.longest ?? 0) > 0.15;
  }, "a delay of 200 ms");
  assert.ok(stats.read().loopBusySeconds >= first.loopBusySeconds + 0.2);
});

test("a second read within the window gets the same delay", async (t) => {
  const stats = createProcessStats();
  t.after(stats.stop);
  stats.read();
  await eventually(() => stats.read().loopDelay !== null, "a first measure");
  const { loopDelay } = stats.read();
  assert.ok(loopDelay !== null && loopDelay.median <= loopDelay.p99 && loopDelay.p99 <= loopDelay.longest);
  assert.equal(stats.read().loopDelay, loopDelay);
});
