// Settlements of runs: everything that follows from an attempt, in one transaction.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Signals } from "../../core/signals.ts";
import { newId } from "../../core/id.ts";
import { noHistory } from "../../core/transcript.ts";
import type { Settlement } from "../../core/settlement.ts";
import { aHeartbeatRequest, anAcceptance, anEvent } from "../../../test/builders/acceptance.ts";
import { aRun, aRunRequest } from "../../../test/builders/run.ts";
import { aDelivery, aSettlement } from "../../../test/builders/settlement.ts";
import { acceptRuns, claim, claimHeartbeats, leaseMs, type Harness } from "./harness.contract.ts";

const summary = (text = "Hook Test: done") => anEvent(text, { source: "summary" });
const signalsOf = (count: number): Signals => ({
  hiddenCharacters: count,
  chatTokens: 0,
  fakeMarkers: 2 * count,
  roleLabels: 0,
});

export function settlementsContract(harness: () => Harness): void {
  describe("settlements", () => {
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
      assert.deepEqual(await store.findSummary(queued.id), await store.findEvent(itsSummary.id));
      assert.equal(await store.findSummary(newId()), null);
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
        const turns = await store.listTurns({ runId: id });
        assert.deepEqual(
          turns.map(({ role, text }) => [role, text]),
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

    test("a run keeps whether its failure is told, and its failed end stores what its target is told, once", async () => {
      const { store } = harness();
      const told = [null, true, false];
      const runs = told.map((deliverFailures) => aRun({ request: aRunRequest({ deliverFailures }) }));
      await acceptRuns(store, ...runs);
      const { claimed } = await claim(store);
      assert.deepEqual(
        claimed.map(({ request }) => request.deliverFailures),
        told,
      );
      const [failing, kept] = claimed;
      const next = { kind: "ended", status: "failed", reply: null, error: "why" } as const;
      const text = "Hook `a` failed: `why`";
      const notice = aDelivery({ runId: failing!.id, text });
      const unsent = {
        channel: "last",
        to: null,
        status: "suppressed",
        error: "no channel is configured",
      } as const;
      const suppressed = aDelivery({ runId: kept!.id, text, ...unsent });
      const settle = () =>
        Promise.all([
          store.settleRun(failing!, aSettlement({ next, delivery: notice })),
          store.settleRun(kept!, aSettlement({ next, delivery: suppressed })),
        ]);
      assert.deepEqual(await settle(), [true, true]);
      assert.deepEqual(await settle(), [false, false]);
      const [one, ...more] = await store.listDeliveries({ limit: null, runId: failing!.id });
      assert.deepEqual([one?.id, one?.status, one?.text, more], [notice.id, "waiting", text, []]);
      const [other] = await store.listDeliveries({ limit: null, runId: kept!.id });
      assert.deepEqual(
        [other?.channel, other?.to, other?.status, other?.error],
        ["last", null, "suppressed", "no channel is configured"],
      );
      const again = newId();
      assert.equal(await store.repeatRun(runs[2]!.id, again), "not-ended");
      await store.settleRun(claimed[2]!, aSettlement({ next }));
      assert.equal(await store.repeatRun(runs[2]!.id, again), "queued");
      assert.equal((await store.findRun(again))?.request.deliverFailures, false, "also when it is repeated");
    });

    test("a failed settlement changes nothing", async () => {
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

    test("a retry waits for its delay and keeps attempts and working time", async () => {
      const { store, clock } = harness();
      await acceptRuns(store, aRun());
      const [first] = (await claim(store)).claimed;
      const retry = aSettlement({ next: { kind: "retry", delayMs: 1000, error: "busy\0" }, workedMs: 70 });
      assert.ok(await store.settleRun(first!, retry));
      const waiting = await store.findRun(first!.id);
      assert.deepEqual([waiting?.error, waiting?.nextTryAt], ["busy\0", clock.now() + 1000]);
      const early = await claim(store);
      assert.deepEqual(early, { claimed: [], nextInMs: 1000 });
      clock.advance(1000);
      const [second] = (await claim(store, { lease: "next" })).claimed;
      assert.equal(second?.attempts, 2);
      assert.equal(second?.elapsedMs, 70);
      assert.deepEqual([second.waitedMs, second.nextTryAt], [1000, null]);
      const longer = aSettlement({ next: { kind: "retry", delayMs: 2500, error: "busy" } });
      assert.ok(await store.settleRun(second, longer));
      clock.advance(99_999);
      const [third] = (await claim(store)).claimed;
      assert.equal(third?.waitedMs, 3500, "the waits that were decided, however late the claim");
    });

    test("a release counts no attempt, and the run can be claimed at once", async () => {
      const { store } = harness();
      await acceptRuns(store, aRun());
      const [first] = (await claim(store)).claimed;
      assert.ok(await store.settleRun(first!, aSettlement({ next: { kind: "released" }, workedMs: 5 })));
      assert.equal((await store.findRun(first!.id))?.status, "queued");
      const [second] = (await claim(store)).claimed;
      assert.equal(second?.attempts, 1);
      assert.equal(second?.elapsedMs, 5);
    });

    test("signals are stored by a retry and by the end, and kept when an attempt has none", async () => {
      const { store } = harness();
      const ended = aSettlement().next;
      const steps: [Settlement["next"], Signals | null, Signals | null][] = [
        [{ kind: "released" }, null, null],
        [{ kind: "retry", delayMs: 0, error: "busy" }, signalsOf(1), signalsOf(1)],
        [{ kind: "released" }, null, signalsOf(1)],
        [{ kind: "retry", delayMs: 0, error: "busy" }, null, signalsOf(1)],
        [{ kind: "retry", delayMs: 0, error: "busy" }, signalsOf(2), signalsOf(2)],
        [ended, signalsOf(3), signalsOf(3)],
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
      await store.settleRun(mine!, aSettlement({ next: retry, signals: signalsOf(4) }));
      const [again] = (await claim(store)).claimed;
      assert.deepEqual(again?.signals, signalsOf(4), "a claim has it too");
      await store.settleRun(again, aSettlement());
      assert.deepEqual((await store.listRuns({ kind: "hook", limit: 1 }))[0]?.signals, signalsOf(4));
    });
  });
}
