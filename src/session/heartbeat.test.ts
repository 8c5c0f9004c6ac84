import assert from "node:assert/strict";
import { test } from "node:test";
import { aSettlement } from "../../test/builders/settlement.ts";
import { createFakeClock, eventually, settled } from "../../test/fakes/clock.ts";
import { openTestStore } from "../../test/fakes/runner.ts";
import { StoreUnavailable } from "../core/errors.ts";
import { silentLog, type Log } from "../core/log.ts";
import { createHeartbeat, type HeartbeatOptions } from "./heartbeat.ts";

const minute = 60_000;

function setUp(more: Partial<HeartbeatOptions> = {}) {
  const clock = createFakeClock(0);
  const asked: number[] = [];
  const period = { ms: 30 * minute };
  let nextAt = 0;
  let kicks = 0;
  const heartbeat = createHeartbeat({
    store: {
      beatIfDue: async (_request, everyMs) => {
        asked.push(clock.now());
        if (nextAt <= clock.now()) nextAt = clock.now() + everyMs;
        return Math.min(nextAt - clock.now(), everyMs);
      },
    },
    agentId: () => "main",
    everyMs: () => period.ms,
    clock,
    log: silentLog,
    kick: () => kicks++,
    random: () => 0,
    ...more,
  });
  return { clock, asked, period, heartbeat, kicks: () => kicks };
}

test("a heartbeat is requested at the start and whenever the next is due, and the runner is kicked", async () => {
  const { clock, asked, heartbeat, kicks } = setUp();
  heartbeat.start();
  await clock.advance(61 * minute);
  assert.deepEqual(asked, [0, 30 * minute, 60 * minute]);
  assert.equal(kicks(), 3);
});

test("0 turns it off until the configuration changes", async () => {
  const { clock, asked, heartbeat, period } = setUp();
  period.ms = 0;
  heartbeat.start();
  await clock.advance(100 * minute);
  assert.deepEqual(asked, []);
  period.ms = minute;
  heartbeat.refresh();
  await clock.advance(minute);
  assert.deepEqual(asked, [100 * minute, 101 * minute]);
  period.ms = 0;
  heartbeat.refresh();
  await clock.advance(100 * minute);
  assert.equal(asked.length, 2);
});

test("a shorter period takes effect at once", async () => {
  const { clock, asked, heartbeat, period } = setUp();
  heartbeat.start();
  await clock.advance(minute);
  period.ms = 2 * minute;
  heartbeat.refresh();
  await clock.advance(2 * minute);
  assert.deepEqual(asked, [0, minute, 3 * minute]);
});

test("a change during a request leads to one more request", async () => {
  const first = Promise.withResolvers<number>();
  let asked = 0;
  const { heartbeat, clock } = setUp({
    store: { beatIfDue: () => (asked++ === 0 ? first.promise : Promise.resolve(minute)) },
  });
  heartbeat.start();
  heartbeat.refresh();
  heartbeat.refresh();
  first.resolve(minute);
  await settled();
  assert.equal(asked, 2);
  assert.equal(clock.waiting(), 1);
});

test("while the store is away it backs off, logs once, and recovers", async () => {
  const lines: string[] = [];
  const log: Log = { ...silentLog, warn: (line) => lines.push(line), info: (line) => lines.push(line) };
  let away = true;
  let asked = 0;
  const { heartbeat, clock } = setUp({
    log,
    random: () => 0.999,
    store: {
      beatIfDue: async () => {
        asked++;
        if (away) throw new StoreUnavailable("away");
        return 30 * minute;
      },
    },
  });
  heartbeat.start();
  await clock.advance(5 * minute);
  assert.ok(asked > 3 && asked < 20, String(asked));
  away = false;
  await clock.advance(5 * minute);
  assert.deepEqual(lines, ["heartbeats cannot be asked for now", "heartbeats can be asked for again"]);
});

test("stop cancels the timer", async () => {
  const { clock, asked, heartbeat } = setUp();
  heartbeat.start();
  heartbeat.stop();
  await clock.advance(100 * minute);
  assert.ok(asked.length <= 1);
  assert.equal(clock.waiting(), 0);
});

test("two nodes on one store request one heartbeat a period", async (t) => {
  const clock = createFakeClock();
  const store = await openTestStore(t, clock);
  const node = () => setUp({ store, clock, everyMs: () => 30 * minute, kick: () => {} }).heartbeat;
  const nodes = [node(), node()];
  for (const each of nodes) each.start();
  await eventually(() => clock.waiting() === 2, "both to sleep");
  const before = (await store.listRuns({ kind: "heartbeat", limit: null })).length;
  for (const run of (await store.claimRuns({ kind: "heartbeat", limit: 1, lease: "l", leaseMs: minute }))
    .claimed)
    await store.settleRun(run, aSettlement());
  await clock.advance(30 * minute);
  const count = async () => (await store.listRuns({ kind: "heartbeat", limit: null })).length;
  await eventually(async () => (await count()) > before, "a heartbeat");
  await eventually(() => clock.waiting() === 2, "both to sleep again");
  assert.equal(await count(), before + 1);
  for (const each of nodes) each.stop();
});
