// Deliveries, lists, settings, retention.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { NewDelivery } from "../../core/delivery.ts";
import { newId } from "../../core/id.ts";
import type { DeliverySettlement, Store } from "../store.ts";
import { acceptance, acceptRuns, claim, event, leaseMs, run, settlement, type Harness } from "./harness.ts";

const delivery = (parts: Partial<NewDelivery> = {}): NewDelivery => ({
  id: newId(),
  runId: newId(),
  channel: "telegram",
  to: "12345",
  text: "hello",
  status: "waiting",
  error: null,
  ...parts,
});

const outcome = (parts: Partial<DeliverySettlement>): DeliverySettlement => ({
  status: "sent",
  delayMs: 0,
  countsAttempt: true,
  error: null,
  channel: "telegram",
  to: "12345",
  notice: null,
  ...parts,
});

const claimDeliveries = (store: Store, lease = "courier") =>
  store.claimDeliveries({ limit: 10, lease, leaseMs });

/** A run that ended with this delivery. */
async function deliver(store: Store, wanted: NewDelivery): Promise<NewDelivery> {
  const aRun = run();
  await acceptRuns(store, aRun);
  const [claimed] = (await claim(store)).claimed;
  const made = { ...wanted, runId: aRun.id };
  await store.settleRun(claimed!, settlement({ delivery: made }));
  return made;
}

export function records(harness: () => Harness): void {
  describe("deliveries", () => {
    test("a waiting delivery is claimed once, sent, and says when", async () => {
      const { store, clock } = harness();
      const made = await deliver(store, delivery());
      const [mine] = (await claimDeliveries(store)).claimed;
      assert.deepEqual([mine?.id, mine?.to, mine?.text, mine?.attempts], [made.id, "12345", "hello", 1]);
      assert.deepEqual((await claimDeliveries(store, "other")).claimed, []);
      assert.ok(await store.settleDelivery(mine!, outcome({})));
      assert.equal(await store.settleDelivery(mine!, outcome({})), false);
      const found = await store.findDelivery(made.id);
      assert.deepEqual([found?.status, found?.sentAt], ["sent", clock.now()]);
      assert.deepEqual(await claimDeliveries(store), { claimed: [], nextReadyAt: null });
    });

    test("a retry waits, a lost lease changes nothing", async () => {
      const { store, clock } = harness();
      await deliver(store, delivery());
      const [first] = (await claimDeliveries(store)).claimed;
      await store.settleDelivery(first!, outcome({ status: "waiting", delayMs: 500, error: "429" }));
      assert.deepEqual(await claimDeliveries(store), { claimed: [], nextReadyAt: clock.now() + 500 });
      clock.advance(500);
      const [second] = (await claimDeliveries(store)).claimed;
      assert.equal(second?.attempts, 2);
      clock.advance(leaseMs);
      const [third] = (await claimDeliveries(store, "other")).claimed;
      assert.equal(third?.attempts, 3);
      assert.equal(await store.settleDelivery(second, outcome({})), false);
      assert.ok(await store.settleDelivery(third, outcome({ status: "waiting", countsAttempt: false })));
      assert.equal((await store.findDelivery(third.id))?.attempts, 2);
    });

    test("a final failure posts its notice and can be retried by hand", async () => {
      const { store } = harness();
      const made = await deliver(store, delivery());
      const [mine] = (await claimDeliveries(store)).claimed;
      const notice = { ...event("could not deliver"), source: "notice" as const };
      await store.settleDelivery(mine!, outcome({ status: "failed", error: "blocked", notice }));
      assert.deepEqual(
        (await store.waitingEvents("main", 5)).map((each) => each.id),
        [notice.id],
      );
      assert.equal(await store.retryDelivery(made.id), "waiting");
      assert.equal(await store.retryDelivery(made.id), "not-ended");
      assert.equal(await store.retryDelivery(newId()), "unknown");
      assert.equal((await claimDeliveries(store)).claimed[0]?.attempts, 1);
    });

    test("failed and suppressed ones are recorded and never claimed", async () => {
      const { store } = harness();
      const failed = await deliver(
        store,
        delivery({ status: "failed", to: null, error: "no channel is configured" }),
      );
      const suppressed = await deliver(store, delivery({ status: "suppressed" }));
      assert.deepEqual((await claimDeliveries(store)).claimed, []);
      assert.deepEqual(
        (await store.listDeliveries({ limit: null })).map(({ id, status, to }) => ({ id, status, to })),
        [
          { id: suppressed.id, status: "suppressed", to: "12345" },
          { id: failed.id, status: "failed", to: null },
        ],
      );
      assert.deepEqual(
        (await store.listDeliveries({ limit: null, runId: failed.runId })).map((each) => each.id),
        [failed.id],
      );
    });

    test("a waiting one can be cancelled, an ended one cannot", async () => {
      const { store } = harness();
      const made = await deliver(store, delivery());
      assert.equal(await store.cancelDelivery(made.id, "cancelled"), "cancelled");
      assert.equal(await store.cancelDelivery(made.id, "cancelled"), "ended");
      assert.equal(await store.cancelDelivery(newId(), "cancelled"), "unknown");
      assert.equal((await store.findDelivery(made.id))?.error, "cancelled");
    });
  });

  describe("records", () => {
    test("lists are newest first and as long as asked for", async () => {
      const { store } = harness();
      const runs = Array.from({ length: 5 }, () => run());
      await acceptRuns(store, ...runs);
      const newest = runs.map((each) => each.id).toReversed();
      assert.deepEqual(
        (await store.listRuns({ kind: "hook", limit: 2 })).map((each) => each.id),
        newest.slice(0, 2),
      );
      assert.deepEqual(
        (await store.listRuns({ kind: "hook", limit: null })).map((each) => each.id),
        newest,
      );
    });

    test("a long list comes whole", async () => {
      const { store } = harness();
      await store.accept(
        acceptance({ events: Array.from({ length: 1203 }, (_, index) => event(String(index))) }),
      );
      const texts = (await store.listEvents({ limit: null })).map((each) => Number(each.text));
      assert.deepEqual(
        texts,
        Array.from({ length: 1203 }, (_, index) => 1202 - index),
      );
    });

    test("the last target is remembered until it is taken away", async () => {
      const { store } = harness();
      assert.equal(await store.lastTarget(), null);
      await store.setLastTarget({ channel: "telegram", to: "1\0" });
      assert.deepEqual(await store.lastTarget(), { channel: "telegram", to: "1\0" });
      await store.setLastTarget(null);
      assert.equal(await store.lastTarget(), null);
    });

    test("what is not there is null", async () => {
      const { store } = harness();
      assert.equal(await store.findRun(newId()), null);
      assert.equal(await store.findEvent(newId()), null);
      assert.equal(await store.findDelivery("no id at all"), null);
    });

    test("the database says its own time", async () => {
      const { store } = harness();
      const before = Date.now();
      const time = await store.databaseTime();
      assert.ok(time >= before - 1000 && time <= Date.now() + 1000, `${time} is not now`);
    });

    test("a probe passes", async () => {
      await harness().store.probe();
    });

    test("retention removes what is finished and old, in small steps, and nothing else", async () => {
      const { store, clock } = harness();
      const retention = { finishedMs: 1000, requestsMs: 500, idempotencyMs: 200 };
      const waiting = run();
      const shown = event("shown");
      const unshown = event("unshown");
      await acceptRuns(store, run(), run(), run());
      const { claimed } = await claim(store);
      for (const each of claimed)
        await store.settleRun(each, settlement({ delivery: delivery({ runId: each.id, status: "failed" }) }));
      await store.accept(
        acceptance({
          events: [shown, unshown],
          runs: [waiting],
          idempotency: { key: "k", fingerprint: "f" },
        }),
      );
      await store.markEvent(shown.id, false);
      await store.recordRequest({ id: newId(), hook: "x", outcome: "skipped", reason: "filters" });

      clock.advance(199);
      assert.equal(await store.sweep(retention, 2), 0);
      clock.advance(1);
      assert.equal(await store.sweep(retention, 2), 1, "the idempotency key");
      clock.advance(300);
      assert.equal(await store.sweep(retention, 2), 1, "the request record");
      clock.advance(500);
      assert.equal(await store.sweep(retention, 2), 5, "two runs, two deliveries, one event");
      assert.equal(await store.sweep(retention, 2), 2, "the last run and its delivery");
      assert.equal(await store.sweep(retention, 2), 0);
      assert.deepEqual(
        (await store.listRuns({ kind: "hook", limit: null })).map((each) => each.id),
        [waiting.id],
      );
      assert.deepEqual(
        (await store.listEvents({ limit: null })).map((each) => each.id),
        [unshown.id],
      );
    });
  });
}
