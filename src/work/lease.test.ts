import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { silentLog } from "../core/log.ts";
import { createLeaseKeeper, type LeaseOptions } from "./lease.ts";

function setUp(leaseMs: number, renew?: LeaseOptions["renew"]) {
  const clock = createFakeClock(0);
  const renewals: { at: number; ids: string[]; lease: string }[] = [];
  const answer = { lost: new Set<string>(), cancelled: new Set<string>() };
  const keeper = createLeaseKeeper({
    clock,
    log: silentLog,
    leaseMs,
    renew: async (renewal) => {
      renewals.push({ at: clock.now(), ...renewal });
      if (renew) return renew(renewal);
      const held = renewal.ids.filter((id) => !answer.lost.has(id));
      return { held, cancelled: held.filter((id) => answer.cancelled.has(id)) };
    },
  });
  const aborts: string[] = [];
  const hold = (id: string, lease = "lease") =>
    keeper.keep({ id, lease }, (reason) => aborts.push(`${id} ${reason} ${clock.now()}`));
  return { clock, keeper, renewals, answer, aborts, hold };
}

test("renews every third of a lease, all of one lease together", async () => {
  const { clock, renewals, hold } = setUp(900);
  hold("a");
  hold("b");
  hold("c", "other");
  await clock.advance(600);
  assert.deepEqual(renewals, [
    { at: 300, ids: ["a", "b"], lease: "lease" },
    { at: 300, ids: ["c"], lease: "other" },
    { at: 600, ids: ["a", "b"], lease: "lease" },
    { at: 600, ids: ["c"], lease: "other" },
  ]);
});

test("looks for cancellations at least once a second, and tells each once", async () => {
  const { clock, answer, aborts, hold } = setUp(60_000);
  hold("a");
  answer.cancelled.add("a");
  await clock.advance(5000);
  assert.deepEqual(aborts, ["a cancelled 1000"]);
});

test("what is no longer held is lost", async () => {
  const { clock, answer, aborts, hold, renewals } = setUp(900);
  hold("a");
  hold("b");
  answer.lost.add("b");
  await clock.advance(600);
  assert.deepEqual(aborts, ["b lost 300"]);
  assert.deepEqual(renewals.at(-1)!.ids, ["a"]);
});

test("what is let go is not renewed, and nothing is left running", async () => {
  const { clock, renewals, hold } = setUp(900);
  hold("a")();
  await clock.advance(2000);
  assert.deepEqual(renewals, []);
  assert.equal(clock.waiting(), 0);
});

test("renewal that fails for a whole lease means lost, and not sooner", async () => {
  const { clock, aborts, hold } = setUp(900, async () => Promise.reject(new Error("gone")));
  hold("a");
  await clock.advance(899);
  assert.deepEqual(aborts, []);
  await clock.advance(1);
  assert.deepEqual(aborts, ["a lost 900"]);
});

test("renewal that hangs means lost too", async () => {
  const { clock, aborts, hold } = setUp(900, () => new Promise(() => {}));
  hold("a");
  await clock.advance(900);
  assert.deepEqual(aborts, ["a lost 900"]);
});

test("a renewal that works again saves the lease", async () => {
  let away = true;
  const { clock, aborts, hold } = setUp(900, async ({ ids }) => {
    if (away) throw new Error("gone");
    return { held: ids, cancelled: [] };
  });
  hold("a");
  await clock.advance(500);
  away = false;
  await clock.advance(5000);
  assert.deepEqual(aborts, []);
});
