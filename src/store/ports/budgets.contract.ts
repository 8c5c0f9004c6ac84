// Budgets of hooks: counting, parking, releasing.
import assert from "node:assert/strict";
import { unfinishedRuns } from "../../core/backlog.ts";
import { describe, test } from "node:test";
import { plainText } from "../../core/message.ts";
import type { Budget } from "../../core/spending.ts";
import { aRun } from "../../../test/builders/run.ts";
import { aSettlement } from "../../../test/builders/settlement.ts";
import { acceptRuns, claim, claimNext, leaseMs, startRun, type Harness } from "./harness.contract.ts";

const day = 86_400_000;
const wide: Budget = { runsPerDay: 100, tokensPerDay: 1_000_000, moneyPerDay: null };

export function budgetsContract(harness: () => Harness): void {
  describe("budgets", () => {
    test("over the limit a run is parked without counting an attempt, with one notice a day", async () => {
      const { store, clock } = harness();
      const budget = { ...wide, runsPerDay: 1 };
      await acceptRuns(store, aRun(), aRun(), aRun());
      const first = await claimNext(store);
      assert.equal((await startRun(store, first, { budget })).kind, "go");
      await store.settleRun(first, aSettlement());
      for (const claimed of (await claim(store)).claimed) {
        const started = await startRun(store, claimed, { budget });
        assert.ok(started.kind === "parked" && started.reason.includes("1 runs a day"));
        const parked = await store.findRun(claimed.id);
        assert.deepEqual([parked?.status, parked?.attempts], ["parked", 0]);
        assert.deepEqual(await store.listTurns({ runId: claimed.id }), []);
      }
      assert.deepEqual((await claim(store)).claimed, []);
      const events = await store.waitingEvents("main", 10);
      assert.equal(events.length, 1);
      assert.match(plainText(events[0]!.text), /agent.*parked/);
      assert.equal(unfinishedRuns(await store.backlog()), 2);
      clock.advance(day);
      const tomorrow = await claimNext(store);
      assert.equal((await startRun(store, tomorrow, { budget })).kind, "go");
    });

    test("runs of several hooks share the budget they are counted under, also in tokens", async () => {
      const { store } = harness();
      const shared = { budget: { ...wide, runsPerDay: 3, tokensPerDay: 15 }, hook: "mapping any" };
      await acceptRuns(store, ...["a", "b", "c"].map((hook) => aRun({ hook })));
      const kinds: string[] = [];
      for (const run of (await claim(store, { limit: 3 })).claimed) {
        const { kind } = await startRun(store, run, shared);
        kinds.push(kind);
        const used = { inputTokens: 10, outputTokens: 0, cost: 0, budget: shared.hook };
        if (kind === "go") await store.settleRun(run, aSettlement({ used }));
      }
      assert.deepEqual(kinds, ["go", "go", "parked"]);
      const spent = (await store.listSpending()).map(({ hook, runs, inputTokens }) => [
        hook,
        runs,
        inputTokens,
      ]);
      assert.deepEqual(spent, [["mapping any", 2, 20]]);
    });

    test("a started run is counted once, and its tokens count when it ends", async () => {
      const { store, clock } = harness();
      const budget = { ...wide, runsPerDay: 1, tokensPerDay: 50 };
      await acceptRuns(store, aRun(), aRun());
      const first = await claimNext(store);
      assert.equal((await startRun(store, first, { budget })).kind, "go");
      const used = { inputTokens: 10, outputTokens: 5, cost: 0.5 };
      await store.settleRun(
        first,
        aSettlement({ next: { kind: "retry", delayMs: 1, error: "busy" }, used, summary: null }),
      );
      clock.advance(1);
      const again = (await claim(store)).claimed.find(({ id }) => id === first.id);
      assert.equal((await startRun(store, again!, { budget })).kind, "go");
      await store.settleRun(again!, aSettlement({ used }));
      assert.deepEqual(
        (await store.listSpending()).map(({ runs, inputTokens, outputTokens, cost }) => [
          runs,
          inputTokens,
          outputTokens,
          cost,
        ]),
        [[1, 20, 10, 1]],
      );
    });

    test("a run that a stopping node released is counted once; one that crashed before its start is counted too", async () => {
      const { store, clock } = harness();
      const counted = async () => (await store.listSpending()).map(({ runs }) => runs);
      await acceptRuns(store, aRun());
      const first = await claimNext(store);
      await startRun(store, first, { budget: wide });
      await store.settleRun(first, aSettlement({ next: { kind: "released" }, summary: null }));
      const again = await claimNext(store);
      assert.deepEqual([again.id, again.attempts], [first.id, 1]);
      await startRun(store, again, { budget: wide });
      assert.deepEqual(await counted(), [1]);
      await store.settleRun(again, aSettlement());

      await acceptRuns(store, aRun());
      await claimNext(store);
      clock.advance(leaseMs + 1);
      const second = await claimNext(store);
      assert.equal(second.attempts, 1);
      await startRun(store, second, { budget: wide });
      assert.deepEqual(await counted(), [2]);
    });

    test("tokens and money have limits too", async () => {
      const { store } = harness();
      await acceptRuns(store, aRun(), aRun());
      const first = await claimNext(store);
      await startRun(store, first, { budget: wide });
      await store.settleRun(first, aSettlement({ used: { inputTokens: 60, outputTokens: 40, cost: 2 } }));
      const second = await claimNext(store);
      const byTokens = await startRun(store, second, { budget: { ...wide, tokensPerDay: 100 } });
      assert.ok(byTokens.kind === "parked" && byTokens.reason.includes("100 tokens"));
      assert.equal(await store.releaseRuns({ id: second.id, hook: null }), 1);
      const released = await claimNext(store);
      const byMoney = { ...wide, moneyPerDay: 1 };
      assert.equal((await startRun(store, released, { budget: byMoney })).kind, "go", "released runs may go");
    });

    test("parked runs are released one by one, by hook, or all; a parked run can be cancelled", async () => {
      const { store } = harness();
      const budget = { ...wide, runsPerDay: 0 };
      await acceptRuns(store, aRun(), aRun(), aRun({ hook: "other" }), aRun());
      const claimed = (await claim(store)).claimed;
      for (const each of claimed) assert.equal((await startRun(store, each, { budget })).kind, "parked");
      assert.equal(await store.releaseRuns({ id: "unknown", hook: null }), 0);
      assert.equal(await store.releaseRuns({ id: claimed[0]!.id, hook: null }), 1);
      assert.equal(await store.releaseRuns({ id: null, hook: "other" }), 1);
      const ended = { error: "it was cancelled", summary: null, heartbeat: null };
      assert.equal(await store.cancelRun(claimed[1]!.id, ended), "cancelled");
      assert.equal(await store.releaseRuns({ id: null, hook: null }), 1);
      assert.equal((await claim(store)).claimed.length, 3);
    });

    test("a parked run stays ahead in its lane", async () => {
      const { store } = harness();
      await acceptRuns(store, aRun({ sessionKey: "k" }), aRun({ sessionKey: "k" }));
      const first = await claimNext(store);
      await startRun(store, first, { budget: { ...wide, runsPerDay: 0 } });
      assert.deepEqual((await claim(store)).claimed, []);
      await store.releaseRuns({ id: null, hook: null });
      assert.equal((await claimNext(store)).id, first.id);
    });
  });
}
