// Lists, settings, retention.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newId } from "../../core/id.ts";
import { plainText } from "../../core/message.ts";
import { anAcceptance, anEvent, anUnusedRequest } from "../../../test/builders/acceptance.ts";
import { aRun } from "../../../test/builders/run.ts";
import { aDelivery, aSettlement } from "../../../test/builders/settlement.ts";
import { acceptRuns, claim, type Harness } from "./harness.contract.ts";

export function listsContract(harness: () => Harness): void {
  describe("lists", () => {
    test("lists are newest first and as long as requested", async () => {
      const { store } = harness();
      const runs = Array.from({ length: 5 }, () => aRun());
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

    test("a list longer than a page is complete", async () => {
      const { store } = harness();
      await store.accept(
        anAcceptance({ events: Array.from({ length: 1203 }, (_, index) => anEvent(String(index))) }),
      );
      const texts = (await store.listEvents({ limit: null })).map((each) => Number(plainText(each.text)));
      assert.deepEqual(
        texts,
        Array.from({ length: 1203 }, (_, index) => 1202 - index),
      );
    });

    test("the last target is stored until it is removed", async () => {
      const { store } = harness();
      assert.equal(await store.lastTarget(), null);
      await store.setLastTarget({ channel: "telegram", to: "1\0" });
      assert.deepEqual(await store.lastTarget(), { channel: "telegram", to: "1\0" });
      await store.setLastTarget(null);
      assert.equal(await store.lastTarget(), null);
    });

    test("unknown ids are null", async () => {
      const { store } = harness();
      assert.equal(await store.findRun(newId()), null);
      assert.equal(await store.findEvent(newId()), null);
      assert.equal(await store.findDelivery("no id at all"), null);
    });

    test("the database reports its own time", async () => {
      const { store } = harness();
      const before = Date.now();
      const time = await store.databaseTime();
      assert.ok(time >= before - 1000 && time <= Date.now() + 1000, `${time} is not now`);
    });

    test("failed tokens are counted by address, in a window that starts with the first", async () => {
      const { store, clock } = harness();
      const fail = (address: string) => store.countFailure({ address, windowMs: 1000 });
      assert.deepEqual(await fail("a"), { failures: 1, endsInMs: 1000 });
      clock.advance(400);
      const together = await Promise.all([fail("a"), fail("b"), fail("a")]);
      assert.deepEqual(together, [
        { failures: 2, endsInMs: 600 },
        { failures: 1, endsInMs: 1000 },
        { failures: 3, endsInMs: 600 },
      ]);
      clock.advance(600);
      assert.deepEqual(await fail("a"), { failures: 1, endsInMs: 1000 }, "its window is over");
      assert.deepEqual(await fail("b"), { failures: 2, endsInMs: 400 });
      assert.deepEqual(await store.countFailure({ address: "b", windowMs: 100 }), {
        failures: 1,
        endsInMs: 100,
      });
      clock.advance(1000);
      assert.equal(
        await store.sweep(
          { finishedMs: 1000, requestsMs: 500, idempotencyMs: 200, conversationTurns: 10 },
          10,
        ),
        2,
      );
    });

    test("a store has one identity, made once, also when it is asked for many times at once", async () => {
      const { store } = harness();
      const identities = await Promise.all([store.identity(), store.identity(), store.identity()]);
      assert.match(identities[0], /^[\w-]{43}$/);
      assert.deepEqual(new Set([...identities, await store.identity()]).size, 1);
    });

    test("a probe succeeds", async () => {
      await harness().store.probe();
    });

    test("retention removes only finished and old rows, in small steps", async () => {
      const { store, clock } = harness();
      const retention = { finishedMs: 1000, requestsMs: 500, idempotencyMs: 200, conversationTurns: 10 };
      const waiting = aRun();
      const shown = anEvent("shown");
      const unshown = anEvent("unshown");
      await acceptRuns(store, aRun(), aRun(), aRun());
      const { claimed } = await claim(store);
      for (const each of claimed)
        await store.settleRun(
          each,
          aSettlement({ delivery: aDelivery({ runId: each.id, status: "failed" }) }),
        );
      await store.accept(
        anAcceptance({
          events: [shown, unshown],
          runs: [waiting],
          idempotency: { key: "k", fingerprint: "f" },
        }),
      );
      await store.markEvent(shown.id, false);
      await store.recordRequest(anUnusedRequest());

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
