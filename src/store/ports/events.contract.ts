// The main session: heartbeat requests coalesce, events wait until they are shown.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newId } from "../../core/id.ts";
import { plainText } from "../../core/message.ts";
import { aHeartbeatRequest, anAcceptance, anEvent } from "../../../test/builders/acceptance.ts";
import { aSettlement } from "../../../test/builders/settlement.ts";
import { claimHeartbeats, type Harness } from "./harness.contract.ts";

export function eventsContract(harness: () => Harness): void {
  describe("heartbeats and events", () => {
    test("requests while a heartbeat is queued become one", async () => {
      const { store, clock } = harness();
      await store.requestHeartbeat(aHeartbeatRequest(250));
      await store.accept(anAcceptance({ events: [anEvent()], heartbeat: aHeartbeatRequest(250) }));
      assert.deepEqual(await claimHeartbeats(store), { claimed: [], nextInMs: 250 });
      clock.advance(250);
      assert.equal((await claimHeartbeats(store)).claimed.length, 1);
      assert.equal((await store.listRuns({ kind: "heartbeat", limit: null })).length, 1);
    });

    test("a request during a heartbeat causes another after it", async () => {
      const { store } = harness();
      await store.requestHeartbeat(aHeartbeatRequest());
      const [first] = (await claimHeartbeats(store)).claimed;
      await store.requestHeartbeat(aHeartbeatRequest());
      await store.requestHeartbeat(aHeartbeatRequest());
      assert.deepEqual((await claimHeartbeats(store)).claimed, []);
      await store.settleRun(first!, aSettlement());
      const [second] = (await claimHeartbeats(store)).claimed;
      assert.notEqual(second?.id, first?.id);
      await store.settleRun(second!, aSettlement());
      assert.deepEqual(await claimHeartbeats(store), { claimed: [], nextInMs: null });
    });

    test("a released heartbeat does not block a new request", async () => {
      const { store } = harness();
      await store.requestHeartbeat(aHeartbeatRequest());
      const [first] = (await claimHeartbeats(store)).claimed;
      await store.requestHeartbeat(aHeartbeatRequest());
      assert.ok(await store.settleRun(first!, aSettlement({ next: { kind: "released" } })));
      assert.equal((await claimHeartbeats(store)).claimed[0]?.id, first?.id);
    });

    test("hook runs and heartbeats are claimed separately", async () => {
      const { store } = harness();
      await store.requestHeartbeat(aHeartbeatRequest());
      assert.deepEqual(
        (await store.claimRuns({ kind: "hook", limit: 5, lease: "x", leaseMs: 1000 })).claimed,
        [],
      );
      assert.equal((await claimHeartbeats(store)).claimed.length, 1);
    });

    test("the periodic heartbeat is requested once when it is due, by whichever node", async () => {
      const { store, clock } = harness();
      const every = 1000;
      const first = await store.beatIfDue(aHeartbeatRequest(), every);
      assert.equal(first, every);
      assert.equal((await claimHeartbeats(store)).claimed.length, 0);
      clock.advance(every);
      const nexts = await Promise.all([
        store.beatIfDue(aHeartbeatRequest(), every),
        store.beatIfDue(aHeartbeatRequest(), every),
      ]);
      assert.deepEqual(nexts, [every, every]);
      assert.equal((await claimHeartbeats(store)).claimed.length, 1);
      assert.equal((await store.listRuns({ kind: "heartbeat", limit: null })).length, 1);
    });

    test("a shorter period takes effect at once", async () => {
      const { store } = harness();
      await store.beatIfDue(aHeartbeatRequest(), 100_000);
      assert.equal(await store.beatIfDue(aHeartbeatRequest(), 1000), 1000);
    });

    test("events wait, oldest first, until they are shown", async () => {
      const { store } = harness();
      const events = [anEvent("one"), anEvent("two"), anEvent("three")];
      for (const each of events) await store.accept(anAcceptance({ events: [each] }));
      assert.deepEqual(
        (await store.waitingEvents("main", 2)).map((each) => plainText(each.text)),
        ["one", "two"],
      );
      assert.deepEqual(await store.waitingEvents("other", 2), []);
      await store.requestHeartbeat(aHeartbeatRequest());
      const [turn] = (await claimHeartbeats(store)).claimed;
      await store.settleRun(turn!, aSettlement({ shownEventIds: [events[0]!.id] }));
      assert.deepEqual(
        (await store.waitingEvents("main", 10)).map((each) => plainText(each.text)),
        ["two", "three"],
      );
    });

    test("an event can be shown again, or never", async () => {
      const { store } = harness();
      const note = anEvent();
      await store.accept(anAcceptance({ events: [note] }));
      assert.equal(await store.markEvent(note.id, false), true);
      assert.deepEqual(await store.waitingEvents("main", 10), []);
      assert.equal(await store.markEvent(note.id, true), true);
      assert.equal((await store.waitingEvents("main", 10)).length, 1);
      assert.equal(await store.markEvent(newId(), true), false);
    });
  });
}
