import assert from "node:assert/strict";
import { test } from "node:test";
import { clockSteps } from "../../test/builders/clock-step.ts";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createHealth } from "./health.ts";

const named = { identity: () => Promise.resolve("id") };

test("it writes at most once a second, and recovers by itself", async () => {
  const clock = createFakeClock();
  let probes = 0;
  let away = false;
  const health = createHealth({
    clock,
    store: {
      ...named,
      probe: () => {
        probes++;
        return away ? Promise.reject(new Error("disk full")) : Promise.resolve();
      },
    },
  });
  assert.deepEqual(await Promise.all([health.ready(), health.ready()]), [true, true]);
  assert.equal(probes, 1);
  away = true;
  await clock.advance(999);
  assert.equal(await health.ready(), true);
  await clock.advance(1);
  assert.equal(await health.ready(), false);
  assert.equal(probes, 2);
  away = false;
  await clock.advance(1000);
  assert.equal(await health.ready(), true);
});

test("a store that does not respond is not ready", async () => {
  const clock = createFakeClock();
  const health = createHealth({ clock, store: { ...named, probe: () => new Promise(() => {}) } });
  const ready = health.ready();
  await clock.advance(3000);
  assert.equal(await ready, false);
});

for (const [step, stepMs] of clockSteps)
  test(`a store that is gone is noticed within a second also when the wall clock is set ${step}`, async () => {
    const clock = createFakeClock();
    let away = false;
    const probe = () => (away ? Promise.reject(new Error("gone")) : Promise.resolve());
    const health = createHealth({ clock, store: { ...named, probe } });
    assert.equal(await health.ready(), true);
    clock.step(stepMs);
    away = true;
    await clock.advance(999);
    assert.equal(await health.ready(), true, "the last check still holds");
    await clock.advance(1);
    assert.equal(await health.ready(), false);
  });
