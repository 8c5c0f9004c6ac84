import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../test/fakes/clock.ts";
import { createProcessWatch } from "./process.ts";

test("a blocked event loop shows as delay, from the first look on", async (t) => {
  const watch = createProcessWatch({ shortestWindowMs: 0 });
  t.after(watch.stop);
  const first = watch.read();
  assert.equal(first.loopDelay, null);
  assert.ok(first.cpuSeconds > 0 && first.residentBytes > 1e6 && first.heapBytes > 1e6);
  assert.match(first.version, /^\d+\.\d+\.\d+/);
  await eventually(() => {
    const until = performance.now() + 200;
    while (performance.now() < until);
    return (watch.read().loopDelay?.longest ?? 0) > 0.15;
  }, "a delay of 200 ms");
  assert.ok(watch.read().loopBusySeconds >= first.loopBusySeconds + 0.2);
});

test("who looks again soon is told the same", async (t) => {
  const watch = createProcessWatch();
  t.after(watch.stop);
  watch.read();
  await eventually(() => watch.read().loopDelay !== null, "a first measure");
  const { loopDelay } = watch.read();
  assert.ok(loopDelay !== null && loopDelay.median <= loopDelay.p99 && loopDelay.p99 <= loopDelay.longest);
  assert.equal(watch.read().loopDelay, loopDelay);
});
