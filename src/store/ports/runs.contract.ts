// The queue: lanes, leases, settling, cancelling, repeating.
import assert from "node:assert/strict";
import { unfinishedRuns } from "../../core/backlog.ts";
import { describe, test } from "node:test";
import { newId } from "../../core/id.ts";
import type { Signals } from "../../core/signals.ts";
import { noHistory } from "../../core/transcript.ts";
import type { Settlement } from "../../core/settlement.ts";
import { aHeartbeatRequest, anAcceptance, anEvent } from "../../../test/builders/acceptance.ts";
import { aRun } from "../../../test/builders/run.ts";
import { aDelivery, aSettlement } from "../../../test/builders/settlement.ts";
import { acceptRuns, claim, claimHeartbeats, leaseMs, type Harness } from "./harness.contract.ts";

const summary = (text = "Hook Test: done") => anEvent(text, { source: "summary" });
const noticed = (count: number): Signals => ({
  hiddenCharacters: count,
  chatTokens: 0,
  fakeMarkers: 2 * count,
  roleLabels: 0,
});
const cancelled = { error: "cancelled", summary: null, heartbeat: null };

export function queue(harness: () => Harness): void {
  describe("the queue", () => {
    test("a claimed run is running, counted, and nobody else's", async () => {
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

    test("oldest first, no more than asked for", async () => {
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

    test("a lane goes one after another, lanes go side by side", async () => {
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

    test("settling stores everything that follows, once", async () => {
      const { store, clock } = harness();
      const queued = aRun();
      const shown = anEvent();
      await store.accept(anAcceptance({ runs: [queued], events: [shown] }));
      const [claimed] = (await claim(store)).claimed;
      const itsSummary = summary();
      const reply = aDelivery({ runId: queued.id, text: "reply\0" });
      clock.advance(50);
      const done = aSettlement({
        summary: itsSummary,
        delivery: reply,
        heartbeat: aHeartbeatRequest(),
        shownEventIds: [shown.id],
      });
      assert.equal(await store.settleRun(claimed!, done), true);
      assert.equal(await store.settleRun(claimed!, done), false);

      const ended = await store.findRun(queued.id);
      assert.equal(ended?.status, "succeeded");
      assert.equal(ended?.reply, "done");
      assert.equal(ended?.endedAt, clock.now());
      const events = await store.listEvents({ limit: null });
      assert.deepEqual(
        events.map(({ id, text, source, shownAt }) => ({ id, text, source, shownAt })),
        [
          { id: itsSummary.id, text: itsSummary.text, source: "summary", shownAt: null },
          { id: shown.id, text: shown.text, source: "wake", shownAt: clock.now() },
        ],
      );
      assert.deepEqual(
        (await store.listDeliveries({ limit: null })).map((each) => each.id),
        [reply.id],
      );
      assert.equal(
        (await store.claimRuns({ kind: "heartbeat", limit: 5, lease: "beat", leaseMs })).claimed.length,
        1,
      );
    });

    test("the usual end of an isolated run stores everything that follows, once", async () => {
      const { store, clock } = harness();
      const runs = [aRun(), aRun()];
      await acceptRuns(store, ...runs);
      const { claimed } = await claim(store);
      const budget = { runsPerDay: 10, tokensPerDay: 100, moneyPerDay: 1 };
      const start = { isolated: true, historyCharacters: 0, prompt: "do it\0", budget };
      const started = await Promise.all(claimed.map((each) => store.startRun({ ...each, ...start })));
      for (const each of started)
        assert.deepEqual(each, { kind: "go", history: noHistory, foreignSession: null });
      clock.advance(50);
      const ends = claimed.map(({ agentId, sessionKey }) =>
        aSettlement({
          summary: summary(),
          heartbeat: aHeartbeatRequest(250),
          ending: { agentId, sessionKey, text: "done\0", foreignSession: null, carried: true },
          used: { inputTokens: 3, outputTokens: 2, cost: 0.25 },
          signals: { hiddenCharacters: 1, chatTokens: 0, fakeMarkers: 0, roleLabels: 0 },
        }),
      );
      const settle = () => Promise.all(claimed.map((each, at) => store.settleRun(each, ends[at]!)));
      assert.deepEqual(await settle(), [true, true]);
      assert.deepEqual(await settle(), [false, false]);

      for (const { id } of runs) {
        const ended = await store.findRun(id);
        assert.deepEqual([ended?.status, ended?.reply, ended?.endedAt], ["succeeded", "done", clock.now()]);
        assert.equal(ended?.signals?.hiddenCharacters, 1);
        const said = await store.listTurns({ runId: id });
        assert.deepEqual(
          said.map(({ role, text }) => [role, text]),
          [
            ["user", "do it\0"],
            ["assistant", "done\0"],
          ],
        );
      }
      assert.deepEqual(
        (await store.listEvents({ limit: null })).map(({ id }) => id).toSorted(),
        ends.map((end) => end.summary!.id).toSorted(),
      );
      const [spent] = await store.listSpending();
      assert.deepEqual([spent?.runs, spent?.inputTokens, spent?.outputTokens, spent?.cost], [2, 6, 4, 0.5]);
      assert.equal((await claimHeartbeats(store)).nextInMs, 250);
      clock.advance(250);
      assert.equal((await claimHeartbeats(store)).claimed.length, 1);
    });

    test("a failed settlement changes nothing at all", async () => {
      const { store } = harness();
      const [first, second] = [aRun(), aRun()];
      await acceptRuns(store, first, second);
      const { claimed } = await claim(store);
      const taken = summary();
      await store.settleRun(claimed[0]!, aSettlement({ summary: taken }));
      await assert.rejects(store.settleRun(claimed[1]!, aSettlement({ summary: taken })));
      assert.equal((await store.findRun(claimed[1]!.id))?.status, "running");
      assert.ok(await store.settleRun(claimed[1]!, aSettlement({ summary: summary() })));
    });

    test("a retry waits its time and counts its attempts and work", async () => {
      const { store, clock } = harness();
      await acceptRuns(store, aRun());
      const [first] = (await claim(store)).claimed;
      const retry = aSettlement({ next: { kind: "retry", delayMs: 1000, error: "busy\0" }, workedMs: 70 });
      assert.ok(await store.settleRun(first!, retry));
      assert.equal((await store.findRun(first!.id))?.error, "busy\0");
      const early = await claim(store);
      assert.deepEqual(early, { claimed: [], nextInMs: 1000 });
      clock.advance(1000);
      const [second] = (await claim(store, { lease: "next" })).claimed;
      assert.equal(second?.attempts, 2);
      assert.equal(second?.elapsedMs, 70);
    });

    test("a released run costs no attempt and can be claimed at once", async () => {
      const { store } = harness();
      await acceptRuns(store, aRun());
      const [first] = (await claim(store)).claimed;
      assert.ok(await store.settleRun(first!, aSettlement({ next: { kind: "released" }, workedMs: 5 })));
      assert.equal((await store.findRun(first!.id))?.status, "queued");
      const [second] = (await claim(store)).claimed;
      assert.equal(second?.attempts, 1);
      assert.equal(second?.elapsedMs, 5);
    });

    test("what was noticed is kept: set by a retry and by the end, left alone where there is nothing to say", async () => {
      const { store } = harness();
      const ended = aSettlement().next;
      const steps: [Settlement["next"], Signals | null, Signals | null][] = [
        [{ kind: "released" }, null, null],
        [{ kind: "retry", delayMs: 0, error: "busy" }, noticed(1), noticed(1)],
        [{ kind: "released" }, null, noticed(1)],
        [{ kind: "retry", delayMs: 0, error: "busy" }, null, noticed(1)],
        [{ kind: "retry", delayMs: 0, error: "busy" }, noticed(2), noticed(2)],
        [ended, noticed(3), noticed(3)],
      ];
      await acceptRuns(store, aRun());
      for (const [next, signals, expected] of steps) {
        const [mine] = (await claim(store)).claimed;
        assert.ok(await store.settleRun(mine!, aSettlement({ next, signals })));
        assert.deepEqual((await store.findRun(mine!.id))?.signals, expected, JSON.stringify(next));
      }
      await acceptRuns(store, aRun());
      const retry = { kind: "retry", delayMs: 0, error: "busy" } as const;
      const [mine] = (await claim(store)).claimed;
      await store.settleRun(mine!, aSettlement({ next: retry, signals: noticed(4) }));
      const [again] = (await claim(store)).claimed;
      assert.deepEqual(again?.signals, noticed(4), "a claim has it too");
      await store.settleRun(again, aSettlement());
      assert.deepEqual((await store.listRuns({ kind: "hook", limit: 1 }))[0]?.signals, noticed(4));
    });

    test("an expired lease is taken over, and the late worker changes nothing", async () => {
      const { store, clock } = harness();
      const next = aRun({ sessionKey: "hook:a" });
      await acceptRuns(store, aRun({ sessionKey: "hook:a" }), next);
      const [lost] = (await claim(store, { lease: "slow" })).claimed;
      clock.advance(1000);
      await store.renewRuns({ ids: [lost!.id], lease: "slow", leaseMs });
      clock.advance(leaseMs - 1);
      assert.deepEqual((await claim(store, { lease: "fast" })).claimed, []);
      clock.advance(1);
      const [taken] = (await claim(store, { lease: "fast" })).claimed;
      assert.equal(taken?.id, lost?.id);
      assert.equal(taken?.attempts, 2);
      assert.equal(taken?.elapsedMs, 1000, "worked until its last sign of life");

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

    test("a cancelled run inside a lane is passed over", async () => {
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

    test("cancelling a running one asks its worker", async () => {
      const { store } = harness();
      await acceptRuns(store, aRun());
      const [mine] = (await claim(store)).claimed;
      assert.equal(await store.cancelRun(mine!.id, cancelled), "requested");
      const renewed = await store.renewRuns({ ids: [mine!.id], lease: "lease", leaseMs });
      assert.deepEqual(renewed.cancelled, [mine!.id]);
      assert.equal((await store.findRun(mine!.id))?.status, "running");
    });

    test("whoever takes over a run that is to be cancelled is told", async () => {
      const { store, clock } = harness();
      await acceptRuns(store, aRun());
      const [mine] = (await claim(store)).claimed;
      await store.cancelRun(mine!.id, cancelled);
      clock.advance(leaseMs);
      assert.equal((await claim(store, { lease: "other" })).claimed[0]?.cancelRequested, true);
    });

    test("cancelling what is not there says so", async () => {
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

    test("unfinished runs are counted, and those of them that wait", async () => {
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
  });
}
