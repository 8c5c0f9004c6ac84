import assert from "node:assert/strict";
import { test } from "node:test";
import { createLifecycle } from "./lifecycle.ts";

function recorder() {
  const steps: string[] = [];
  const part = (name: string, delay: Promise<void> = Promise.resolve()) => ({
    start: () => void steps.push(`start ${name}`),
    async stop() {
      steps.push(`stop ${name}`);
      await delay;
      steps.push(`stopped ${name}`);
    },
  });
  return { steps, part };
}

test("parts start in order and stop in reverse; those of one stage stop at the same time", async () => {
  const { steps, part } = recorder();
  const lifecycle = createLifecycle();
  const slow = Promise.withResolvers<void>();
  await lifecycle.start([[part("store")], [part("server"), part("runner", slow.promise)], [{}]]);
  assert.deepEqual(steps.splice(0), ["start store", "start server", "start runner"]);
  assert.equal(lifecycle.isStopping(), false);
  const stopped = lifecycle.stop();
  assert.equal(lifecycle.isStopping(), true);
  assert.equal(lifecycle.stop(), stopped);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(steps.splice(0), ["stop runner", "stop server", "stopped server"]);
  slow.resolve();
  await stopped;
  assert.deepEqual(steps, ["stopped runner", "stop store", "stopped store"]);
});

test("when a part does not start, those before it are stopped, and the fault is passed on", async () => {
  const { steps, part } = recorder();
  const lifecycle = createLifecycle();
  const broken = { ...part("server"), start: () => Promise.reject(new Error("the port is taken")) };
  await assert.rejects(lifecycle.start([[part("store")], [broken, part("runner")]]), /port is taken/);
  assert.deepEqual(steps, ["start store", "stop store", "stopped store"]);
});
