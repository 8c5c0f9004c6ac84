import assert from "node:assert/strict";
import { test } from "node:test";
import { clockSteps } from "../../test/builders/clock-step.ts";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { StoreUnavailable } from "../core/errors.ts";
import { silentLog } from "../core/log.ts";
import { createHealth } from "./health.ts";

const named = { identity: () => Promise.resolve("id") };

test("it writes at most once a second, and recovers by itself", async () => {
  const clock = createFakeClock();
  let probes = 0;
  let away = false;
  const health = createHealth({
    clock,
    log: silentLog,
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
  const health = createHealth({
    clock,
    log: silentLog,
    store: { ...named, probe: () => new Promise(() => {}) },
  });
  const ready = health.ready();
  await clock.advance(3000);
  assert.equal(await ready, false);
});

for (const [step, stepMs] of clockSteps)
  test(`a store that is gone is noticed within a second also when the wall clock is set ${step}`, async () => {
    const clock = createFakeClock();
    let away = false;
    const probe = () => (away ? Promise.reject(new Error("gone")) : Promise.resolve());
    const health = createHealth({ clock, log: silentLog, store: { ...named, probe } });
    assert.equal(await health.ready(), true);
    clock.step(stepMs);
    away = true;
    await clock.advance(999);
    assert.equal(await health.ready(), true, "the last check still holds");
    await clock.advance(1);
    assert.equal(await health.ready(), false);
  });

test("a time in which this process did not run is not the store's", async () => {
  const clock = createFakeClock();
  const due: (() => void)[] = [];
  const halted = { ...clock, after: (_: number, act: () => void) => (due.push(act), () => {}) };
  // As the store's thread answers: by a message, which is read after the timers that are due have fired.
  const probe = () => new Promise<void>((resolve) => setImmediate(resolve));
  const health = createHealth({ clock: halted, log: silentLog, store: { ...named, probe } });
  const ready = health.ready();
  for (const act of due.splice(0)) act();
  assert.equal(await ready, true);
});

test("there is one probe at a time, however long it takes", async () => {
  const clock = createFakeClock();
  const probes: PromiseWithResolvers<void>[] = [];
  const probe = () => {
    probes.push(Promise.withResolvers<void>());
    return probes.at(-1)!.promise;
  };
  const health = createHealth({ clock, log: silentLog, store: { ...named, probe } });
  const asked = [health.ready()];
  for (let time = 0; time < 2; time++) {
    await clock.advance(1100);
    asked.push(health.ready());
  }
  assert.equal(probes.length, 1);
  probes[0]!.resolve();
  assert.deepEqual(await Promise.all(asked), [true, true, true]);
  await clock.advance(999);
  assert.equal(await health.ready(), true);
  assert.equal(probes.length, 1, "and it is trusted from its end on");
});

test("the log says once why it is not ready, and once that it is again", async () => {
  const clock = createFakeClock();
  const lines: unknown[] = [];
  const note =
    (level: string) =>
    (message: string, fields: object = {}) =>
      void lines.push([level, message, fields]);
  const log = { ...silentLog, warn: note("warn"), info: note("info") };
  let store = () => Promise.reject<void>(new StoreUnavailable("the disk is full"));
  const health = createHealth({ clock, log, store: { ...named, probe: () => store() } });
  for (let time = 0; time < 3; time++) {
    await health.ready();
    await clock.advance(1000);
  }
  store = () => Promise.resolve();
  await health.ready();
  await clock.advance(1000);
  await health.ready();
  store = () => new Promise(() => {});
  await clock.advance(1000);
  const late = health.ready();
  await clock.advance(3000);
  assert.equal(await late, false);
  assert.deepEqual(lines, [
    ["warn", "the gateway is not ready: the store took no write", { kind: "StoreUnavailable" }],
    ["info", "the gateway is ready again", {}],
    ["warn", "the gateway is not ready: the store took no write", { kind: "late" }],
  ]);
});
