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

    test("no more events are read than fit; the one that crosses the limit is included", async () => {
      const { store } = harness();
      const texts = ["a", "b", "c", "d"].map((letter) => letter.repeat(10_000));
      for (const each of texts) await store.accept(anAcceptance({ events: [anEvent(each)] }));
      const read = async (mostBytes: number, limit = 10) =>
        (await store.waitingEvents("main", limit, mostBytes)).map((each) => plainText(each.text));
      assert.deepEqual(await read(1), texts.slice(0, 1));
      assert.deepEqual(await read(15_000), texts.slice(0, 2));
      assert.deepEqual(await read(1_000_000), texts);
      assert.deepEqual(await read(1_000_000, 3), texts.slice(0, 3));
      assert.deepEqual(await read(0), texts.slice(0, 1));
    });

    test("waiting events are counted with their sizes, whatever stored them", async () => {
      const { store } = harness();
      const count = async () => store.countWaitingEvents();
      assert.deepEqual(await count(), { count: 0, bytes: 0 });
      const texts = ["plain", "\0\uD800 ä 😀"].map((text) => anEvent(text));
      const bytes = texts.reduce((sum, { text }) => sum + Buffer.byteLength(JSON.stringify(text)), 0);
      await store.accept(anAcceptance({ events: [texts[0]!] }));
      await store.accept(anAcceptance({ events: [texts[1]!], heartbeat: aHeartbeatRequest() }));
      assert.deepEqual(await count(), { count: 2, bytes });
      const [turn] = (await claimHeartbeats(store)).claimed;
      const summary = anEvent("summary");
      await store.settleRun(turn!, aSettlement({ shownEventIds: [texts[0]!.id, texts[1]!.id], summary }));
      const left = Buffer.byteLength(JSON.stringify(summary.text));
      assert.deepEqual(await count(), { count: 1, bytes: left });
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
