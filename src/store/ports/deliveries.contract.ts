// The outbox: claims by channel, in order for each target, one message after another.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { NewDelivery } from "../../core/delivery.ts";
import { newId } from "../../core/id.ts";
import type { Store } from "./store.ts";
import { anEvent } from "../../../test/builders/acceptance.ts";
import { aRun } from "../../../test/builders/run.ts";
import { aDelivery, aDeliverySettlement, aSettlement } from "../../../test/builders/settlement.ts";
import { acceptRuns, claim, leaseMs, type Harness } from "./harness.contract.ts";

const claimOn = (store: Store, channel: string, { lease = "courier", limit = 10 } = {}) =>
  store.claimDeliveries({ channel, limit, lease, leaseMs });
const claimDeliveries = (store: Store, lease?: string) =>
  claimOn(store, "telegram", { ...(lease && { lease }) });
const idsOf = (items: readonly { id: string }[]): string[] => items.map(({ id }) => id);

/** A run that ended with this delivery. */
async function deliver(store: Store, parts: Partial<NewDelivery> = {}): Promise<NewDelivery> {
  const queued = aRun();
  await acceptRuns(store, queued);
  const [claimed] = (await claim(store)).claimed;
  const made = { ...aDelivery(parts), runId: queued.id };
  await store.settleRun(claimed!, aSettlement({ delivery: made }));
  return made;
}

export function deliveriesContract(harness: () => Harness): void {
  describe("deliveries", () => {
    test("a waiting delivery is claimed once and has its time when it is sent", async () => {
      const { store, clock } = harness();
      const made = await deliver(store);
      const [mine] = (await claimDeliveries(store)).claimed;
      assert.deepEqual([mine?.id, mine?.to, mine?.text, mine?.attempts], [made.id, "12345", "hello", 1]);
      assert.deepEqual([mine?.sentMessages, mine?.uncertainSends, mine?.waitedMs], [0, 0, 0]);
      assert.deepEqual((await claimDeliveries(store, "other")).claimed, []);
      assert.ok(await store.settleDelivery(mine!, aDeliverySettlement()));
      assert.equal(await store.settleDelivery(mine!, aDeliverySettlement()), false);
      const found = await store.findDelivery(made.id);
      assert.deepEqual([found?.status, found?.sentAt, found?.sentMessages], ["sent", clock.now(), 1]);
      assert.equal(found?.endedAt, clock.now());
      assert.deepEqual(await claimDeliveries(store), { claimed: [], nextInMs: null });
    });

    test("a retry waits; a lost lease changes nothing", async () => {
      const { store, clock } = harness();
      await deliver(store);
      const [first] = (await claimDeliveries(store)).claimed;
      await store.settleDelivery(
        first!,
        aDeliverySettlement({
          status: "waiting",
          delayMs: 500,
          error: "429",
          sentMessages: 2,
          uncertainSends: 1,
        }),
      );
      assert.deepEqual(await claimDeliveries(store), { claimed: [], nextInMs: 500 });
      clock.advance(500);
      const [second] = (await claimDeliveries(store)).claimed;
      assert.deepEqual([second?.attempts, second?.sentMessages, second?.uncertainSends], [2, 2, 1]);
      clock.advance(leaseMs);
      const [third] = (await claimDeliveries(store, "other")).claimed;
      assert.equal(third?.attempts, 3);
      assert.equal(await store.settleDelivery(second!, aDeliverySettlement()), false);
      assert.ok(
        await store.settleDelivery(third, aDeliverySettlement({ status: "waiting", countsAttempt: false })),
      );
      assert.equal((await store.findDelivery(third.id))?.attempts, 2);
    });

    test("each sent message is counted, renews the lease and resets the uncertain sends", async () => {
      const { store, clock } = harness();
      const { id } = await deliver(store);
      const [uncertain] = (await claimDeliveries(store)).claimed;
      await store.settleDelivery(
        uncertain!,
        aDeliverySettlement({ status: "waiting", uncertainSends: 1, sentMessages: 0 }),
      );
      await claimDeliveries(store);
      clock.advance(leaseMs - 1);
      assert.ok(await store.advanceDelivery({ id, lease: "courier", sentMessages: 1, leaseMs }));
      clock.advance(1);
      assert.deepEqual((await claimDeliveries(store, "other")).claimed, []);
      clock.advance(leaseMs);
      const [taken] = (await claimDeliveries(store, "other")).claimed;
      assert.deepEqual([taken?.sentMessages, taken?.uncertainSends], [1, 0]);
      assert.equal(await store.advanceDelivery({ id, lease: "courier", sentMessages: 2, leaseMs }), false);
      assert.equal((await store.findDelivery(id))?.sentMessages, 1);
    });

    test("a lease can be extended while it is held, and only then", async () => {
      const { store, clock } = harness();
      const { id } = await deliver(store);
      await claimDeliveries(store);
      const renew = (lease: string) => store.renewDeliveries({ ids: [id, newId()], lease, leaseMs });
      clock.advance(leaseMs - 1);
      assert.deepEqual(await renew("courier"), [id]);
      assert.deepEqual(await renew("someone"), []);
      clock.advance(leaseMs - 1);
      assert.deepEqual((await claimDeliveries(store)).claimed, []);
      clock.advance(1);
      assert.equal((await claimDeliveries(store, "another")).claimed.length, 1);
      assert.deepEqual(await renew("courier"), []);
    });

    test("deliveries to one target go one after another in order", async () => {
      const { store } = harness();
      const made = [await deliver(store), await deliver(store), await deliver(store)];
      const order: string[] = [];
      for (let turn = 0; turn < 3; turn++) {
        const { claimed, nextInMs } = await claimDeliveries(store);
        assert.equal(claimed.length, 1);
        assert.equal(nextInMs, leaseMs, "those behind it do not count");
        assert.deepEqual((await claimDeliveries(store, "other")).claimed, []);
        order.push(...idsOf(claimed));
        await store.settleDelivery(
          claimed[0]!,
          aDeliverySettlement({ status: turn === 1 ? "failed" : "sent" }),
        );
      }
      assert.deepEqual(order, idsOf(made));
    });

    test("a retry delay holds back the deliveries behind it", async () => {
      const { store, clock } = harness();
      const [first] = [await deliver(store), await deliver(store)];
      const [mine] = (await claimDeliveries(store)).claimed;
      await store.settleDelivery(
        mine!,
        aDeliverySettlement({ status: "waiting", delayMs: 500, sentMessages: 0 }),
      );
      assert.deepEqual(await claimDeliveries(store), { claimed: [], nextInMs: 500 });
      clock.advance(500);
      assert.deepEqual(idsOf((await claimDeliveries(store)).claimed), [first.id]);
    });

    test("targets go in parallel; channels are claimed separately", async () => {
      const { store } = harness();
      assert.deepEqual(await store.waitingChannels(), []);
      const made = [
        await deliver(store, { to: "1" }),
        await deliver(store, { to: "2" }),
        await deliver(store, { to: "1" }),
        await deliver(store, { channel: "slack", to: "1" }),
      ];
      assert.deepEqual(await store.waitingChannels(), ["slack", "telegram"]);
      const { claimed } = await claimDeliveries(store);
      assert.deepEqual(idsOf(claimed), [made[0]!.id, made[1]!.id]);
      assert.deepEqual(await claimOn(store, "discord"), { claimed: [], nextInMs: null });
      const [onSlack] = (await claimOn(store, "slack")).claimed;
      assert.equal(onSlack?.id, made[3]!.id);
      await store.settleDelivery(onSlack, aDeliverySettlement());
      assert.deepEqual(await store.waitingChannels(), ["telegram"]);
    });

    test("a very long recipient works like any other", async () => {
      const { store } = harness();
      const to = "ü🙂\0".repeat(5000);
      const first = await deliver(store, { to });
      await deliver(store, { to });
      const { claimed } = await claimDeliveries(store);
      assert.deepEqual(idsOf(claimed), [first.id]);
      assert.equal(claimed[0]?.to, to);
    });

    test("a final failure posts its notice and can be retried by hand", async () => {
      const { store, clock } = harness();
      const made = await deliver(store);
      const [mine] = (await claimDeliveries(store)).claimed;
      const notice = anEvent("could not deliver", { source: "notice" });
      await store.settleDelivery(
        mine!,
        aDeliverySettlement({
          status: "failed",
          error: "blocked",
          notice,
          sentMessages: 2,
          uncertainSends: 2,
        }),
      );
      assert.deepEqual(idsOf(await store.waitingEvents("main", 5)), [notice.id]);
      const failed = await store.findDelivery(made.id);
      assert.deepEqual([failed?.sentAt, failed?.endedAt], [null, clock.now()]);
      clock.advance(10);
      assert.equal(await store.retryDelivery(made.id), "waiting");
      assert.equal((await store.findDelivery(made.id))?.endedAt, null);
      assert.equal(await store.retryDelivery(made.id), "not-ended");
      assert.equal(await store.retryDelivery(newId()), "unknown");
      const [again] = (await claimDeliveries(store)).claimed;
      assert.deepEqual(
        [again?.attempts, again?.sentMessages, again?.uncertainSends, again?.error, again?.waitedMs],
        [1, 2, 0, null, 0],
      );
    });

    test("a retried delivery goes before younger ones, but not while one of them is claimed", async () => {
      const { store } = harness();
      const old = await deliver(store);
      const [mine] = (await claimDeliveries(store)).claimed;
      await store.settleDelivery(mine!, aDeliverySettlement({ status: "failed" }));
      const young = [await deliver(store), await deliver(store)];
      const [busy] = (await claimDeliveries(store)).claimed;
      assert.equal(busy?.id, young[0]!.id);
      await store.retryDelivery(old.id);
      assert.deepEqual((await claimDeliveries(store)).claimed, []);
      await store.settleDelivery(busy, aDeliverySettlement());
      assert.deepEqual(idsOf((await claimDeliveries(store)).claimed), [old.id]);
    });

    test("the fallback is stored when the delivery ends", async () => {
      const { store } = harness();
      const made = await deliver(store, { fallback: { channel: "last", to: null } });
      const [mine] = (await claimDeliveries(store)).claimed;
      assert.deepEqual(mine?.fallback, { channel: "last", to: null });
      const fallback = aDelivery({ runId: made.runId, channel: "slack", to: "C1" });
      await store.settleDelivery(mine, aDeliverySettlement({ status: "failed", error: "blocked", fallback }));
      const [other] = (await claimOn(store, "slack")).claimed;
      assert.deepEqual([other?.id, other?.runId, other?.fallback], [fallback.id, made.runId, null]);
      assert.equal(await store.settleDelivery(mine, aDeliverySettlement({ fallback: aDelivery() })), false);
      assert.equal((await store.listDeliveries({ limit: null, runId: made.runId })).length, 2);
    });

    test("a moved delivery waits behind those of its new target, and frees its old one", async () => {
      const { store } = harness();
      const before = await deliver(store, { channel: "slack", to: "C1" });
      const [moving, behind] = [await deliver(store), await deliver(store)];
      const [mine] = (await claimDeliveries(store)).claimed;
      assert.ok(await store.moveDelivery(mine!, { channel: "slack", to: "C1" }));
      assert.equal(await store.moveDelivery(mine!, { channel: "slack", to: "C2" }), false);
      const moved = await store.findDelivery(moving.id);
      assert.deepEqual([moved?.channel, moved?.to, moved?.attempts], ["slack", "C1", 0]);
      assert.deepEqual(idsOf((await claimDeliveries(store)).claimed), [behind.id]);
      const [first] = (await claimOn(store, "slack")).claimed;
      assert.equal(first?.id, before.id);
      await store.settleDelivery(first, aDeliverySettlement());
      assert.deepEqual(idsOf((await claimOn(store, "slack")).claimed), [moving.id]);
    });

    test("failed and suppressed deliveries are recorded and never claimed", async () => {
      const { store } = harness();
      const failed = await deliver(store, { status: "failed", to: null, error: "no channel is configured" });
      const suppressed = await deliver(store, { status: "suppressed" });
      assert.deepEqual((await claimDeliveries(store)).claimed, []);
      assert.deepEqual(await store.waitingChannels(), []);
      assert.deepEqual(
        (await store.listDeliveries({ limit: null })).map(({ id, status, to }) => ({ id, status, to })),
        [
          { id: suppressed.id, status: "suppressed", to: "12345" },
          { id: failed.id, status: "failed", to: null },
        ],
      );
      assert.deepEqual(idsOf(await store.listDeliveries({ limit: null, runId: failed.runId })), [failed.id]);
    });

    test("one that was kept because there was no channel can be sent later, or be kept again", async () => {
      const { store } = harness();
      const kept = {
        channel: "last",
        to: null,
        status: "suppressed",
        error: "no channel is configured",
      } as const;
      const made = await deliver(store, kept);
      assert.equal(await store.retryDelivery(made.id), "waiting");
      assert.deepEqual(await store.waitingChannels(), ["last"]);
      const [mine] = (await claimOn(store, "last")).claimed;
      assert.ok(await store.settleDelivery(mine!, aDeliverySettlement({ ...kept, sentMessages: 0 })));
      const found = await store.findDelivery(made.id);
      assert.deepEqual([found?.status, found?.error, found?.sentAt], ["suppressed", kept.error, null]);
      assert.equal(await store.retryDelivery(made.id), "waiting");
      const [again] = (await claimOn(store, "last")).claimed;
      assert.ok(await store.moveDelivery(again!, { channel: "slack", to: "C1" }));
      assert.deepEqual(idsOf((await claimOn(store, "slack")).claimed), [made.id]);
    });

    test("a waiting delivery can be cancelled, an ended one cannot; the next can then be claimed", async () => {
      const { store } = harness();
      const [made, next] = [await deliver(store), await deliver(store)];
      assert.equal(await store.cancelDelivery(made.id, "cancelled"), "cancelled");
      assert.equal(await store.cancelDelivery(made.id, "cancelled"), "ended");
      assert.equal(await store.cancelDelivery(newId(), "cancelled"), "unknown");
      assert.equal((await store.findDelivery(made.id))?.error, "cancelled");
      assert.deepEqual(idsOf((await claimDeliveries(store)).claimed), [next.id]);
    });
  });
}
