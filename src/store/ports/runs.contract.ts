// The queue: lanes, leases, cancelling, repeating.
import assert from "node:assert/strict";
import { unfinishedRuns } from "../../core/backlog.ts";
import { describe, test } from "node:test";
import { newId } from "../../core/id.ts";
import { aHeartbeatRequest, anAcceptance, anEvent } from "../../../test/builders/acceptance.ts";
import { aRun } from "../../../test/builders/run.ts";
import { aSettlement } from "../../../test/builders/settlement.ts";
import { acceptRuns, claim, claimNext, leaseMs, startRun, type Harness } from "./harness.contract.ts";

const summary = (text = "Hook Test: done") => anEvent(text, { source: "summary" });
const cancelled = { error: "cancelled", summary: null, heartbeat: null };

export function runsContract(harness: () => Harness): void {
  describe("runs", () => {
    test("a claimed run is running, counts an attempt, and cannot be claimed again", async () => {
      const { store, clock } = harness();
      const queued = aRun();
      await acceptRuns(store, queued);
      const { claimed } = await claim(store);
      assert.deepEqual(
        claimed.map(({ id, status, attempts, startedAt, lease, elapsedMs, cancelRequested }) => ({
          id,
          status,
          attempts,
          startedAt,
          lease,
          elapsedMs,
          cancelRequested,
        })),
        [
          {
            id: queued.id,
            status: "running",
            attempts: 1,
            startedAt: clock.now(),
            lease: "lease",
            elapsedMs: 0,
            cancelRequested: false,
          },
        ],
      );
      assert.deepEqual((await claim(store, { lease: "other" })).claimed, []);
    });

    test("claims the oldest first, and at most as many as requested", async () => {
      const { store, clock } = harness();
      const runs = [aRun(), aRun(), aRun()];
      for (const each of runs) {
        await acceptRuns(store, each);
        clock.advance(1);
      }
      const { claimed } = await claim(store, { limit: 2 });
      assert.deepEqual(
        claimed.map((each) => each.id),
        runs.slice(0, 2).map((each) => each.id),
      );
    });

    test("the runs of a lane go one after another, lanes in parallel", async () => {
      const { store } = harness();
      const [first, second] = [aRun({ sessionKey: "hook:a" }), aRun({ sessionKey: "hook:a" })];
      const other = aRun({ sessionKey: "hook:b" });
      await acceptRuns(store, first, second, other);
      const { claimed } = await claim(store);
      assert.deepEqual(
        claimed.map((each) => each.id),
        [first.id, other.id],
      );
      assert.ok(await store.settleRun(claimed[0]!, aSettlement()));
      assert.deepEqual(
        (await claim(store)).claimed.map((each) => each.id),
        [second.id],
      );
    });

    test("a run that joins a lane after its head has ended is not stranded", async () => {
      const { store } = harness();
      await acceptRuns(store, aRun({ sessionKey: "hook:a" }));
      await store.settleRun((await claim(store)).claimed[0]!, aSettlement());
      const late = aRun({ sessionKey: "hook:a" });
      await acceptRuns(store, late);
      assert.deepEqual(
        (await claim(store)).claimed.map((each) => each.id),
        [late.id],
      );
    });

    test("an expired lease is taken over, and the late worker changes nothing", async () => {
      const { store, clock } = harness();
      const next = aRun({ sessionKey: "hook:a" });
      await acceptRuns(store, aRun({ sessionKey: "hook:a" }), next);
      const [lost] = (await claim(store, { lease: "slow" })).claimed;
      assert.equal((await startRun(store, lost!)).kind, "go");
      clock.advance(1000);
      await store.renewRuns({ ids: [lost!.id], lease: "slow", leaseMs });
      clock.advance(leaseMs - 1);
      assert.deepEqual((await claim(store, { lease: "fast" })).claimed, []);
      clock.advance(1);
      const [taken] = (await claim(store, { lease: "fast" })).claimed;
      assert.equal(taken?.id, lost?.id);
      assert.equal(taken?.attempts, 2);
      assert.equal(taken?.elapsedMs, 1000, "worked until its last renewal");

      assert.equal(await store.settleRun(lost!, aSettlement({ summary: summary() })), false);
      const renewed = await store.renewRuns({ ids: [lost!.id], lease: "slow", leaseMs });
      assert.deepEqual(renewed, { held: [], cancelled: [] });
      assert.equal((await store.findRun(lost!.id))?.status, "running");
      assert.deepEqual(await store.listEvents({ limit: null }), []);
      assert.ok(await store.settleRun(taken, aSettlement()));
      assert.deepEqual(
        (await claim(store)).claimed.map((each) => each.id),
        [next.id],
      );
    });

    test("an attempt counts, and costs time, from when it has started", async () => {
      const { store, clock } = harness();
      await acceptRuns(store, aRun());
      const outline: [number, number][] = [];
      for (const starts of [false, false, true, false, true, false]) {
        const run = await claimNext(store);
        outline.push([run.attempts, run.elapsedMs]);
        if (starts) assert.equal((await startRun(store, run)).kind, "go");
        clock.advance(1000);
        await store.renewRuns({ ids: [run.id], lease: run.lease, leaseMs });
        clock.advance(leaseMs);
      }
      const expected = [
        [1, 0],
        [1, 0],
        [1, 0],
        [2, 1000],
        [2, 1000],
        [3, 2000],
      ];
      assert.deepEqual(outline, expected);
    });

    test("a renewed lease is kept", async () => {
      const { store, clock } = harness();
      await acceptRuns(store, aRun());
      const [mine] = (await claim(store)).claimed;
      clock.advance(leaseMs - 1);
      assert.deepEqual(await store.renewRuns({ ids: [mine!.id], lease: "lease", leaseMs }), {
        held: [mine!.id],
        cancelled: [],
      });
      clock.advance(leaseMs - 1);
      assert.deepEqual((await claim(store, { lease: "other" })).claimed, []);
    });

    test("cancelling a waiting head ends it with its summary and lets the lane go on", async () => {
      const { store, clock } = harness();
      const [first, second] = [aRun({ sessionKey: "hook:a" }), aRun({ sessionKey: "hook:a" })];
      await acceptRuns(store, first, second);
      const ended = {
        error: "cancelled by the operator",
        summary: summary("Hook Test (cancelled): x"),
        heartbeat: aHeartbeatRequest(),
      };
      assert.equal(await store.cancelRun(first.id, ended), "cancelled");
      assert.equal(await store.cancelRun(first.id, ended), "ended");
      const found = await store.findRun(first.id);
      assert.deepEqual(
        [found?.status, found?.endedAt, found?.error],
        ["cancelled", clock.now(), ended.error],
      );
      assert.equal((await store.listEvents({ limit: null })).length, 1);
      assert.deepEqual(
        (await claim(store)).claimed.map((each) => each.id),
        [second.id],
      );
    });

    test("a cancelled run inside a lane is skipped", async () => {
      const { store } = harness();
      const runs = [
        aRun({ sessionKey: "hook:a" }),
        aRun({ sessionKey: "hook:a" }),
        aRun({ sessionKey: "hook:a" }),
      ];
      await acceptRuns(store, ...runs);
      const [head] = (await claim(store)).claimed;
      assert.equal(await store.cancelRun(runs[1]!.id, cancelled), "cancelled");
      await store.settleRun(head!, aSettlement());
      assert.deepEqual(
        (await claim(store)).claimed.map((each) => each.id),
        [runs[2]!.id],
      );
    });

    test("cancelling a running run is passed to its worker", async () => {
      const { store } = harness();
      await acceptRuns(store, aRun());
      const [mine] = (await claim(store)).claimed;
      assert.equal(await store.cancelRun(mine!.id, cancelled), "requested");
      const renewed = await store.renewRuns({ ids: [mine!.id], lease: "lease", leaseMs });
      assert.deepEqual(renewed.cancelled, [mine!.id]);
      assert.equal((await store.findRun(mine!.id))?.status, "running");
    });

    test("a worker that takes over a run learns of its cancellation", async () => {
      const { store, clock } = harness();
      await acceptRuns(store, aRun());
      const [mine] = (await claim(store)).claimed;
      await store.cancelRun(mine!.id, cancelled);
      clock.advance(leaseMs);
      assert.equal((await claim(store, { lease: "other" })).claimed[0]?.cancelRequested, true);
    });

    test("cancelling an unknown run returns `unknown`", async () => {
      assert.equal(await harness().store.cancelRun(newId(), cancelled), "unknown");
    });

    test("an ended run can be repeated as a new one, others cannot", async () => {
      const { store } = harness();
      const queued = aRun();
      await acceptRuns(store, queued);
      const again = newId();
      assert.equal(await store.repeatRun(queued.id, again), "not-ended");
      await store.settleRun((await claim(store)).claimed[0]!, aSettlement());
      assert.equal(await store.repeatRun(queued.id, again), "queued");
      const [repeated] = (await claim(store)).claimed;
      assert.deepEqual([repeated?.id, repeated?.request, repeated?.attempts], [again, queued.request, 1]);
      assert.equal(repeated?.isolated, true);
      assert.equal(await store.repeatRun(newId(), newId()), "unknown");
    });

    test("counts unfinished runs, and those that are not running", async () => {
      const { store } = harness();
      const counts = async () => [unfinishedRuns(await store.backlog()), await store.countWaiting()];
      assert.deepEqual(await counts(), [0, 0]);
      await acceptRuns(store, aRun(), aRun({ sessionKey: "hook:a" }), aRun({ sessionKey: "hook:a" }));
      assert.deepEqual(await counts(), [3, 3]);
      const { claimed } = await claim(store);
      assert.deepEqual([claimed.length, await counts()], [2, [3, 1]]);
      await store.settleRun(claimed[0]!, aSettlement());
      assert.deepEqual(await counts(), [2, 1]);
    });

    test("many workers settle every run of many lanes exactly once and in order", async () => {
      const { store } = harness();
      const runs = Array.from({ length: 120 }, (_, index) => aRun({ sessionKey: `hook:${index % 7}` }));
      await Promise.all(runs.map((each) => store.accept(anAcceptance({ runs: [each] }))));
      const settled: { sessionKey: string; id: string }[] = [];
      const active = new Set<string>();
      const work = async (lease: string): Promise<void> => {
        for (let empty = 0; settled.length < runs.length && empty < 10_000;) {
          const { claimed } = await store.claimRuns({ kind: "hook", limit: 2, lease, leaseMs });
          if (claimed.length === 0) empty++;
          for (const each of claimed) {
            assert.ok(!active.has(each.sessionKey), "two runs of a lane at once");
            active.add(each.sessionKey);
          }
          for (const each of claimed) {
            settled.push({ sessionKey: each.sessionKey, id: each.id });
            active.delete(each.sessionKey);
            assert.ok(await store.settleRun(each, aSettlement({ summary: summary() })));
          }
        }
      };
      await Promise.all(["a", "b", "c", "d"].map(work));
      const laneOrder = (items: { sessionKey: string; id: string }[]) =>
        Object.groupBy(items, (item) => item.sessionKey);
      const expected = laneOrder(runs.map(({ sessionKey, id }) => ({ sessionKey, id })));
      assert.deepEqual({ ...laneOrder(settled) }, { ...expected });
      assert.equal((await store.listEvents({ limit: null })).length, runs.length);
    });

    test("the last line of its program is shown while the run is held under the lease that noted it", async () => {
      const { store, clock } = harness();
      const queued = aRun();
      await acceptRuns(store, queued);
      const shown = async () => (await store.findRun(queued.id))?.lastLine;
      const note = (lease: string, line: string) => store.noteLastLine({ id: queued.id, lease, line });
      assert.equal(await note("lease", "before its claim"), false);
      const run = await claimNext(store);
      assert.equal(await shown(), null);
      // Every string survives: half a character, a zero, marks of direction.
      for (const line of ["10 %", "a\ud800b\u0000\u202e 🙂"]) {
        assert.equal(await note(run.lease, line), true);
        assert.equal(await shown(), line);
      }
      clock.advance(leaseMs + 1);
      const [next] = (await claim(store, { lease: "next" })).claimed;
      assert.equal(await shown(), null, "claimed again");
      assert.equal(await note(run.lease, "late"), false);
      assert.equal(await note("next", "again"), true);
      await store.settleRun(next!, aSettlement());
      assert.equal(await shown(), null, "ended");
      assert.equal(await note("next", "after the end"), false);
    });
  });
}
