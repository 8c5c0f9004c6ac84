import assert from "node:assert/strict";
import { test } from "node:test";
import { clockSteps } from "../../../test/builders/clock-step.ts";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { createStoreTime } from "./time.ts";

for (const [name, stepMs] of clockSteps)
  test(`a clock set ${name} is a step until it is accepted`, async () => {
    const clock = createFakeClock();
    const time = createStoreTime(clock);
    await clock.advance(1000);
    assert.equal(time.step(), 0);
    clock.step(stepMs);
    assert.deepEqual([time.step(), time.step(), time.now()], [stepMs, stepMs, clock.now()]);
    time.accept(stepMs);
    assert.equal(time.step(), 0);
  });

test("a clock that is slewed never steps", async () => {
  const clock = createFakeClock();
  const time = createStoreTime(clock);
  for (let second = 0; second < 10_000; second++) {
    await clock.advance(1000);
    clock.step(0.5);
    assert.equal(time.step(), 0);
  }
});

test("a thread that is halted between reading the two clocks sees no step", () => {
  let passed = 0;
  let haltMs = 0;
  const halt = (): number => {
    passed += haltMs;
    haltMs = 0;
    return passed;
  };
  const time = createStoreTime({ now: () => 1_000_000 + halt(), monotonic: () => passed });
  haltMs = 5000;
  assert.equal(time.step(), 0);
});
