import assert from "node:assert/strict";
import { test } from "node:test";
import { clockSteps } from "../../test/builders/clock-step.ts";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { silentLog } from "../core/log.ts";
import { createLeaseKeeper, type LeaseOptions } from "./lease.ts";

function setUp(leaseMs: number, renew?: LeaseOptions["renew"]) {
  const clock = createFakeClock(0);
  const renewals: { at: number; ids: string[]; lease: string }[] = [];
  const outcomes = { lost: new Set<string>(), cancelled: new Set<string>() };
  const keeper = createLeaseKeeper({
    clock,
    log: silentLog,
    leaseMs,
    renew: async (renewal) => {
      renewals.push({ at: clock.now(), ...renewal });
      if (renew) return renew(renewal);
      const held = renewal.ids.filter((id) => !outcomes.lost.has(id));
      return { held, cancelled: held.filter((id) => outcomes.cancelled.has(id)) };
    },
  });
  const aborts: string[] = [];
  const keep = (id: string, lease = "lease", claimTookMs = 0) =>
    keeper.keep({ id, lease }, clock.monotonic() - claimTookMs, (reason) =>
      aborts.push(`${id} ${reason} ${clock.now()}`),
    );
  return { clock, keeper, renewals, outcomes, aborts, keep };
}

test("renews every third of a lease, all items of a lease in one call", async () => {
  const { clock, renewals, keep } = setUp(900);
  keep("a");
  keep("b");
  keep("c", "other");
  await clock.advance(600);
  assert.deepEqual(renewals, [
    { at: 300, ids: ["a", "b"], lease: "lease" },
    { at: 300, ids: ["c"], lease: "other" },
    { at: 600, ids: ["a", "b"], lease: "lease" },
    { at: 600, ids: ["c"], lease: "other" },
  ]);
});

test("checks for cancellations at least once a second, and aborts each item once", async () => {
  const { clock, outcomes, aborts, keep } = setUp(60_000);
  keep("a");
  outcomes.cancelled.add("a");
  await clock.advance(5000);
  assert.deepEqual(aborts, ["a cancelled 1000"]);
});

test("an item whose lease the store does not renew is lost", async () => {
  const { clock, outcomes, aborts, keep, renewals } = setUp(900);
  keep("a");
  keep("b");
  outcomes.lost.add("b");
  await clock.advance(600);
  assert.deepEqual(aborts, ["b lost 300"]);
  assert.deepEqual(renewals.at(-1)!.ids, ["a"]);
});

test("a released item is not renewed, and no timer is left", async () => {
  const { clock, renewals, keep } = setUp(900);
  keep("a")();
  await clock.advance(2000);
  assert.deepEqual(renewals, []);
  assert.equal(clock.waiting(), 0);
});

test("a lease is lost when its renewal has failed for its full length, not sooner", async () => {
  const { clock, aborts, keep } = setUp(900, async () => Promise.reject(new Error("gone")));
  keep("a");
  await clock.advance(899);
  assert.deepEqual(aborts, []);
  await clock.advance(1);
  assert.deepEqual(aborts, ["a lost 900"]);
});

test("a lease is lost when its renewal hangs", async () => {
  const { clock, aborts, keep } = setUp(900, () => new Promise(() => {}));
  keep("a");
  await clock.advance(900);
  assert.deepEqual(aborts, ["a lost 900"]);
});

test("a lease counts from when its claim was sent, and is renewed early after a slow one", async () => {
  const { clock, aborts, keep, renewals } = setUp(15_000, () => new Promise(() => {}));
  await clock.advance(20_000);
  keep("a", "lease", 9000);
  await clock.advance(0);
  assert.deepEqual(renewals, [{ at: 20_000, ids: ["a"], lease: "lease" }]);
  await clock.advance(5999);
  assert.deepEqual(aborts, []);
  await clock.advance(1);
  assert.deepEqual(aborts, ["a lost 26000"]);
});

test("a lease that ran out before its claim came back is lost at once", async () => {
  const { clock, aborts, keep } = setUp(1000);
  await clock.advance(5000);
  keep("a", "lease", 1300);
  await clock.advance(0);
  assert.deepEqual(aborts, ["a lost 5000"]);
});

for (const roundTripMs of [1300, 4000, 6000, 7400])
  test(`a lease of 15 s is kept with round trips of ${roundTripMs} ms`, async () => {
    const { clock, aborts, keep, renewals } = setUp(
      15_000,
      ({ ids }) =>
        new Promise((resolve) => void clock.after(roundTripMs, () => resolve({ held: ids, cancelled: [] }))),
    );
    await clock.advance(roundTripMs);
    keep("a", "lease", roundTripMs);
    await clock.advance(120_000);
    assert.deepEqual(aborts, []);
    assert.ok(
      renewals.length < 120_000 / Math.min(roundTripMs, 5000) + 3,
      "not one beside another without need",
    );
  });

test("a renewal that hangs does not keep the next from being sent", async () => {
  let isFirst = true;
  const { clock, aborts, keep } = setUp(15_000, ({ ids }) => {
    if (!isFirst) return Promise.resolve({ held: ids, cancelled: [] });
    isFirst = false;
    return new Promise(() => {});
  });
  keep("a");
  await clock.advance(120_000);
  assert.deepEqual(aborts, []);
});

test("a renewal that works again keeps the lease", async () => {
  let away = true;
  const { clock, aborts, keep } = setUp(900, async ({ ids }) => {
    if (away) throw new Error("gone");
    return { held: ids, cancelled: [] };
  });
  keep("a");
  await clock.advance(500);
  away = false;
  await clock.advance(5000);
  assert.deepEqual(aborts, []);
});

for (const [step, stepMs] of clockSteps)
  test(`a wall clock that is set ${step} loses no lease, and keeps none that was not renewed`, async () => {
    const { clock, aborts, keep } = setUp(15_000);
    keep("a");
    await clock.advance(2000);
    clock.step(stepMs);
    await clock.advance(60_000);
    assert.deepEqual(aborts, []);

    const away = setUp(15_000, () => Promise.reject(new Error("away")));
    away.keep("b");
    await away.clock.advance(14_000);
    away.clock.step(stepMs);
    await away.clock.advance(500);
    assert.deepEqual(away.aborts, []);
    await away.clock.advance(1500);
    assert.equal(away.aborts.length, 1);
  });
