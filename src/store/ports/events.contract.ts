// The main session: heartbeats coalesce, events wait until they were shown.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newId } from "../../core/id.ts";
import { plainText } from "../../core/message.ts";
import {
  acceptance,
  claimHeartbeats,
  event,
  heartbeat,
  settlement,
  type Harness,
} from "./harness.contract.ts";

export function heartbeats(harness: () => Harness): void {
  describe("heartbeats and events", () => {
    test("requests while one waits become one", async () => {
      const { store, clock } = harness();
      await store.requestHeartbeat(heartbeat(250));
      await store.accept(acceptance({ events: [event()], heartbeat: heartbeat(250) }));
      assert.deepEqual(await claimHeartbeats(store), { claimed: [], nextInMs: 250 });
      clock.advance(250);
      assert.equal((await claimHeartbeats(store)).claimed.length, 1);
      assert.equal((await store.listRuns({ kind: "heartbeat", limit: null })).length, 1);
    });

    test("a request during one causes one more, after it", async () => {
      const { store } = harness();
      await store.requestHeartbeat(heartbeat());
      const [first] = (await claimHeartbeats(store)).claimed;
      await store.requestHeartbeat(heartbeat());
      await store.requestHeartbeat(heartbeat());
      assert.deepEqual((await claimHeartbeats(store)).claimed, []);
      await store.settleRun(first!, settlement());
      const [second] = (await claimHeartbeats(store)).claimed;
      assert.notEqual(second?.id, first?.id);
      await store.settleRun(second!, settlement());
      assert.deepEqual(await claimHeartbeats(store), { claimed: [], nextInMs: null });
    });

    test("a heartbeat given back does not stand in the way of a new request", async () => {
      const { store } = harness();
      await store.requestHeartbeat(heartbeat());
      const [first] = (await claimHeartbeats(store)).claimed;
      await store.requestHeartbeat(heartbeat());
      assert.ok(await store.settleRun(first!, settlement({ next: { kind: "released" } })));
      assert.equal((await claimHeartbeats(store)).claimed[0]?.id, first?.id);
    });

    test("hook runs and heartbeats are claimed apart", async () => {
      const { store } = harness();
      await store.requestHeartbeat(heartbeat());
      assert.deepEqual(
        (await store.claimRuns({ kind: "hook", limit: 5, lease: "x", leaseMs: 1000 })).claimed,
        [],
      );
      assert.equal((await claimHeartbeats(store)).claimed.length, 1);
    });

    test("the periodic one beats once when it is due, whoever asks", async () => {
      const { store, clock } = harness();
      const every = 1000;
      const first = await store.beatIfDue(heartbeat(), every);
      assert.equal(first, every);
      assert.equal((await claimHeartbeats(store)).claimed.length, 0);
      clock.advance(every);
      const nexts = await Promise.all([
        store.beatIfDue(heartbeat(), every),
        store.beatIfDue(heartbeat(), every),
      ]);
      assert.deepEqual(nexts, [every, every]);
      assert.equal((await claimHeartbeats(store)).claimed.length, 1);
      assert.equal((await store.listRuns({ kind: "heartbeat", limit: null })).length, 1);
    });

    test("a shorter period takes effect at once", async () => {
      const { store } = harness();
      await store.beatIfDue(heartbeat(), 100_000);
      assert.equal(await store.beatIfDue(heartbeat(), 1000), 1000);
    });

    test("events wait oldest first until they were shown", async () => {
      const { store } = harness();
      const events = [event("one"), event("two"), event("three")];
      for (const each of events) await store.accept(acceptance({ events: [each] }));
      assert.deepEqual(
        (await store.waitingEvents("main", 2)).map((each) => plainText(each.text)),
        ["one", "two"],
      );
      assert.deepEqual(await store.waitingEvents("other", 2), []);
      await store.requestHeartbeat(heartbeat());
      const [turn] = (await claimHeartbeats(store)).claimed;
      await store.settleRun(turn!, settlement({ shownEventIds: [events[0]!.id] }));
      assert.deepEqual(
        (await store.waitingEvents("main", 10)).map((each) => plainText(each.text)),
        ["two", "three"],
      );
    });

    test("an event can be shown again, or never", async () => {
      const { store } = harness();
      const anEvent = event();
      await store.accept(acceptance({ events: [anEvent] }));
      assert.equal(await store.markEvent(anEvent.id, false), true);
      assert.deepEqual(await store.waitingEvents("main", 10), []);
      assert.equal(await store.markEvent(anEvent.id, true), true);
      assert.equal((await store.waitingEvents("main", 10)).length, 1);
      assert.equal(await store.markEvent(newId(), true), false);
    });
  });
}
