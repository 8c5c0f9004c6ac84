// Counts of everything unfinished, and the trace contexts of runs and deliveries.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { aHeartbeatRequest, anAcceptance, anEvent } from "../../../test/builders/acceptance.ts";
import { aRun } from "../../../test/builders/run.ts";
import { aDelivery, aDeliverySettlement, aSettlement } from "../../../test/builders/settlement.ts";
import { acceptRuns, claim, leaseMs, type Harness } from "./harness.contract.ts";

const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 vendor=a b";
const empty = { queued: 0, running: 0, parked: 0, oldestMs: null, events: 0, deliveries: [] };

export function backlogContract(harness: () => Harness): void {
  describe("backlog", () => {
    test("counts unfinished runs by status", async () => {
      const { store } = harness();
      assert.deepEqual(await store.backlog(), empty);
      await acceptRuns(store, aRun({ sessionKey: "k" }), aRun({ sessionKey: "k" }), aRun(), aRun(), aRun());
      const [first, second] = (await claim(store, { limit: 2 })).claimed;
      const { id, lease, hook, agentId, sessionKey } = first!;
      const budget = { runsPerDay: 0, tokensPerDay: 1, moneyPerDay: null };
      const start = {
        id,
        lease,
        hook,
        agentId,
        sessionKey,
        isolated: false,
        historyCharacters: 0,
        prompt: "p",
        budget,
      };
      assert.equal((await store.startRun(start)).kind, "parked");
      const { queued, running, parked } = await store.backlog();
      assert.deepEqual({ queued, running, parked }, { queued: 3, running: 1, parked: 1 });
      await store.settleRun(second!, aSettlement());
      await store.cancelRun(id, { error: "x", summary: null, heartbeat: null });
      const after = await store.backlog();
      assert.deepEqual([after.queued, after.running, after.parked], [3, 0, 0]);
    });

    test("the oldest is the hook run that has been due for longest", async () => {
      const { store, clock } = harness();
      await store.accept(anAcceptance({ heartbeat: aHeartbeatRequest() }));
      clock.advance(1000);
      await acceptRuns(store, aRun({ sessionKey: "k" }), aRun({ sessionKey: "k" }));
      clock.advance(5000);
      assert.equal((await store.backlog()).oldestMs, 5000);
      const [first] = (await claim(store)).claimed;
      assert.equal((await store.backlog()).oldestMs, null, "the second waits for the first");
      await store.settleRun(first!, aSettlement({ next: { kind: "retry", delayMs: 60_000, error: "x" } }));
      assert.equal((await store.backlog()).oldestMs, null, "a retry waits for its time");
      clock.advance(60_700);
      assert.equal((await store.backlog()).oldestMs, 700);
    });

    test("counts waiting events, and waiting deliveries by channel with the oldest", async () => {
      const { store, clock } = harness();
      await store.accept(anAcceptance({ events: [anEvent(), anEvent()] }));
      for (const [channel, to] of [
        ["telegram", "1"],
        ["telegram", "1"],
        ["slack", "C"],
      ] as const) {
        await acceptRuns(store, aRun());
        const [claimed] = (await claim(store)).claimed;
        await store.settleRun(claimed!, aSettlement({ delivery: aDelivery({ channel, to }) }));
        clock.advance(1000);
      }
      const slack = { channel: "slack", waiting: 1, oldestMs: 1000 };
      assert.deepEqual(
        (await store.backlog()).deliveries.toSorted((a, b) => a.channel.localeCompare(b.channel)),
        [slack, { channel: "telegram", waiting: 2, oldestMs: 3000 }],
      );
      const [sent] = (await store.claimDeliveries({ channel: "telegram", limit: 1, lease: "l", leaseMs }))
        .claimed;
      await store.settleDelivery(sent!, aDeliverySettlement());
      const { events, deliveries } = await store.backlog();
      assert.equal(events, 2);
      assert.deepEqual(deliveries.find(({ channel }) => channel === "telegram")?.oldestMs, 2000);
    });
  });

  describe("traces", () => {
    test("a run and a delivery keep their trace; without one it stays null", async () => {
      const { store } = harness();
      const plain = aRun();
      const traced = { ...plain, request: { ...plain.request, trace } };
      await acceptRuns(store, traced);
      const [claimed] = (await claim(store)).claimed;
      assert.equal(claimed?.request.trace, trace);
      const made = aDelivery({ trace });
      await store.settleRun(claimed, aSettlement({ delivery: made }));
      const [reply] = (await store.claimDeliveries({ channel: "telegram", limit: 1, lease: "l", leaseMs }))
        .claimed;
      assert.deepEqual([reply?.id, reply?.trace], [made.id, trace]);

      const { trace: _, ...older } = aRun().request;
      await acceptRuns(store, aRun({ request: older as typeof plain.request }));
      assert.equal((await claim(store)).claimed[0]?.request.trace, null);
    });
  });
}
