// Senders: counts of their calls, and keys that arrive by request.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { longestPairingMs, type SenderCalls } from "../../core/sender.ts";
import type { Harness } from "./harness.contract.ts";

const tenMinutes = 600_000;

const calls = (more: Partial<SenderCalls> = {}): SenderCalls => ({
  name: "github",
  result: "proven",
  calls: 1,
  agoMs: 0,
  skewMs: null,
  ...more,
});

export function sendersContract(harness: () => Harness): void {
  describe("calls of senders", () => {
    test("counts are added, and the last call is kept with its skew", async () => {
      const { store, clock } = harness();
      await store.noteCalls([
        calls({ calls: 3, skewMs: -200 }),
        calls({ result: "too-old", skewMs: -900_000 }),
      ]);
      clock.advance(5000);
      await store.noteCalls([calls({ calls: 2, agoMs: 1000, skewMs: 40 }), calls({ name: "stripe" })]);
      assert.deepEqual(await store.listSenders(), [
        {
          name: "github",
          calls: [
            { result: "proven", calls: 5, lastAt: clock.now() - 1000, skewMs: 40 },
            { result: "too-old", calls: 1, lastAt: clock.now() - 5000, skewMs: -900_000 },
          ],
          keyTakenAt: null,
          pairingMs: null,
        },
        {
          name: "stripe",
          calls: [{ result: "proven", calls: 1, lastAt: clock.now(), skewMs: null }],
          keyTakenAt: null,
          pairingMs: null,
        },
      ]);
    });

    test("nothing to note changes nothing", async () => {
      const { store } = harness();
      await store.noteCalls([]);
      assert.deepEqual(await store.listSenders(), []);
    });

    test("nodes that note at the same time lose no count", async () => {
      const { store } = harness();
      await Promise.all(Array.from({ length: 10 }, () => store.noteCalls([calls(), calls({ name: "b" })])));
      assert.deepEqual(
        (await store.listSenders()).map((each) => each.calls[0]?.calls),
        [10, 10],
      );
    });
  });

  describe("keys that arrive by request", () => {
    test("a key is taken once, within the window", async () => {
      const { store, clock } = harness();
      assert.equal(await store.takeKey({ name: "notion", secret: "stranger's" }), false);
      assert.equal(await store.openPairing({ name: "notion", forMs: tenMinutes }), true);
      assert.equal((await store.listSenders())[0]?.pairingMs, tenMinutes);
      assert.equal(await store.takeKey({ name: "asana", secret: "of another" }), false);
      assert.equal(await store.takeKey({ name: "notion", secret: 'a "key" \0' }), true);
      assert.equal(await store.takeKey({ name: "notion", secret: "a second" }), false);
      assert.deepEqual(await store.senderKeys(), new Map([["notion", 'a "key" \0']]));
      const [record] = await store.listSenders();
      assert.deepEqual([record?.keyTakenAt, record?.pairingMs], [clock.now(), null]);
    });

    test("of keys that arrive at the same time, one is taken", async () => {
      const { store } = harness();
      await store.openPairing({ name: "notion", forMs: tenMinutes });
      const taken = await Promise.all(
        Array.from({ length: 10 }, (_, at) => store.takeKey({ name: "notion", secret: `key ${at}` })),
      );
      assert.equal(taken.filter(Boolean).length, 1);
    });

    test("a window ends", async () => {
      const { store, clock } = harness();
      await store.openPairing({ name: "notion", forMs: tenMinutes });
      clock.advance(tenMinutes);
      assert.equal(await store.takeKey({ name: "notion", secret: "late" }), false);
      assert.equal((await store.listSenders())[0]?.pairingMs, null);
      assert.equal((await store.senderKeys()).size, 0);
    });

    test("no window opens while a key is there, until it is forgotten", async () => {
      const { store } = harness();
      await store.openPairing({ name: "notion", forMs: tenMinutes });
      await store.takeKey({ name: "notion", secret: "key" });
      assert.equal(await store.openPairing({ name: "notion", forMs: tenMinutes }), false);
      assert.equal(await store.forgetKey("notion"), true);
      assert.equal(await store.forgetKey("notion"), false);
      assert.equal(await store.openPairing({ name: "notion", forMs: tenMinutes }), true);
      assert.equal(await store.takeKey({ name: "notion", secret: "another" }), true);
    });

    test("a window never lasts longer than the longest", async () => {
      const { store } = harness();
      await store.openPairing({ name: "notion", forMs: 10 * longestPairingMs });
      assert.equal((await store.listSenders())[0]?.pairingMs, longestPairingMs);
    });
  });
}
