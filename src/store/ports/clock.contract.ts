// A store whose clock is set while work is under way, or between two openings.
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { anAcceptance } from "../../../test/builders/acceptance.ts";
import { clockSteps } from "../../../test/builders/clock-step.ts";
import { aRun, aRunRequest } from "../../../test/builders/run.ts";
import { aDelivery, aDeliverySettlement, aSettlement } from "../../../test/builders/settlement.ts";
import type { ClockStep } from "../../core/clock-step.ts";
import { plainText } from "../../core/message.ts";
import { idempotencyMs } from "../../core/retention.ts";
import { acceptRuns, claim, claimNext, leaseMs, startRun, type TestClock } from "./harness.contract.ts";
import type { Store } from "./store.ts";

type Opened = {
  clock: TestClock;
  open(): Promise<Store>;
  /** Other gateways use it, too: then a step forward ends waits early, and no lease. */
  isShared: boolean;
  remove?(): Promise<void>;
};

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const account = "gmail:me@mail.test";

/** A conversation of which one run is running and two wait behind it. */
async function talk(store: Store) {
  const runs = ["1", "2", "3"].map((message) =>
    aRun({ sessionKey: "hook:talk", request: aRunRequest({ message: [message] }) }),
  );
  await acceptRuns(store, ...runs);
  const running = await claimNext(store);
  await startRun(store, running);
  return running;
}

const isOurs = async (store: Store, id: string, lease: string): Promise<boolean> =>
  (await store.renewRuns({ ids: [id], lease, leaseMs })).held.includes(id);

/** A delivery whose next attempt is due in `delayMs`. */
async function deliverLater(store: Store, delayMs: number, to = "1"): Promise<void> {
  await acceptRuns(store, aRun());
  const run = await claimNext(store);
  await store.settleRun(run, aSettlement({ delivery: { ...aDelivery({ to }), runId: run.id } }));
  const [delivery] = (await claimDeliveries(store)).claimed;
  assert.equal(delivery?.to, to);
  await store.settleDelivery(
    delivery,
    aDeliverySettlement({ status: "waiting", delayMs, sentMessages: 0, error: "429" }),
  );
}

const claimDeliveries = (store: Store, lease = "courier") =>
  store.claimDeliveries({ channel: "telegram", limit: 10, lease, leaseMs });

export function clockContract(name: string, prepare: () => Promise<Opened>): void {
  describe(`a clock that is set: ${name}`, () => {
    let opened: Opened;
    let store: Store;
    let told: ClockStep[] = [];
    let tell = (): void => {};

    const open = async (): Promise<void> => {
      told = [];
      store = await opened.open();
      store.watchClock((step) => {
        told.push(step);
        tell();
      });
    };
    /** Sets the clock, and resolves when the store has dealt with it. */
    const step = async (ms: number): Promise<void> => {
      const dealtWith = new Promise<void>((resolve) => (tell = resolve));
      opened.clock.step(ms);
      await store.probe();
      await dealtWith;
    };
    const reopen = async (ms: number): Promise<void> => {
      await store.close();
      opened.clock.step(ms);
      await open();
    };

    beforeEach(async () => {
      opened = await prepare();
      await open();
      // The database's time is known from the first transaction on.
      await store.probe();
      opened.clock.advance(10_000);
    });
    afterEach(async () => {
      await store.close();
      await opened.remove?.();
    });

    for (const [stepName, stepMs] of clockSteps) {
      test(`${stepName}: no lease ends by it, and none outlasts it`, async () => {
        const { clock } = opened;
        const running = await talk(store);
        await store.claimMailbox({ id: account, lease: "reader", leaseMs });
        const nobodyElse = async () => {
          assert.deepEqual((await claim(store, { lease: "other" })).claimed, []);
          assert.equal(await store.claimMailbox({ id: account, lease: "other", leaseMs }), null);
        };
        clock.step(stepMs);
        await nobodyElse();
        await store.probe();
        clock.advance(1000);
        await nobodyElse();
        assert.ok(await isOurs(store, running.id, running.lease));
        assert.ok(await store.renewMailbox({ id: account, lease: "reader", leaseMs }));
        clock.advance(leaseMs - 1000);
        await nobodyElse();
        assert.ok(await isOurs(store, running.id, running.lease), "it was not taken over");

        clock.advance(leaseMs + 1000);
        assert.equal((await claim(store, { lease: "other" })).claimed[0]?.id, running.id);
        assert.ok(await store.claimMailbox({ id: account, lease: "other", leaseMs }));
        assert.equal(await isOurs(store, running.id, running.lease), false);
      });

      test(`${stepName}: the work of a node that died meanwhile is taken over after one lease`, async () => {
        const { clock } = opened;
        const running = await talk(store);
        await step(stepMs);
        clock.advance(leaseMs + 1000);
        assert.equal((await claim(store, { lease: "other" })).claimed[0]?.id, running.id);
      });

      test(`${stepName}: a conversation goes on in its order`, async () => {
        const { clock } = opened;
        let running = await talk(store);
        await step(stepMs);
        await acceptRuns(store, aRun({ sessionKey: "hook:talk", request: aRunRequest({ message: ["4"] }) }));
        const order = [plainText(running.request.message)];
        for (const _ of [2, 3, 4]) {
          assert.ok(await store.settleRun(running, aSettlement()));
          clock.advance(1);
          running = await claimNext(store);
          order.push(plainText(running.request.message));
        }
        assert.deepEqual(order, ["1", "2", "3", "4"]);
        assert.equal(await store.countWaiting(), 0, "a full queue would be refused");
      });

      test(`${stepName}: what is due stays due, and what waits goes on waiting for as long`, async () => {
        const { clock, isShared } = opened;
        await deliverLater(store, 10_000, "soon");
        await deliverLater(store, hourMs, "later");
        await acceptRuns(store, aRun());
        const failing = await claimNext(store);
        await store.settleRun(
          failing,
          aSettlement({ next: { kind: "retry", delayMs: 10_000, error: "busy" } }),
        );
        await acceptRuns(store, aRun());
        const taken = { id: "m", outcome: "waiting", acceptance: null, record: null } as const;
        await store.claimMailbox({ id: account, lease: "reader", leaseMs });
        const mails = [{ ...taken, retryInMs: 10_000 }];
        await store.commitMail({ id: account, lease: "reader", mails, end: null });
        await step(stepMs);

        assert.equal((await claim(store)).claimed.filter(({ id }) => id !== failing.id).length, 1);
        const due = async () => ({
          run: (await claim(store)).claimed.some(({ id }) => id === failing.id),
          mail: (await store.waitingMail(account, 10)).length === 1,
          to: (await claimDeliveries(store)).claimed.map(({ to }) => to),
        });
        if (isShared && stepMs > 0) {
          const claimed = (await claimDeliveries(store)).claimed.filter(({ to }) => to === "soon");
          assert.ok(
            claimed.every(({ waitedMs }) => waitedMs <= 20_000),
            "a step counts in no time limit",
          );
          return;
        }
        clock.advance(9000);
        assert.deepEqual(await due(), { run: false, mail: false, to: [] });
        clock.advance(1000);
        assert.deepEqual(await due(), { run: true, mail: true, to: ["soon"] });
        const [later] = (await store.listDeliveries({ limit: null })).filter(({ to }) => to === "later");
        assert.equal(later?.status, "waiting");
        clock.advance(hourMs - 20_000);
        assert.ok(!(await due()).to.includes("later"));
        clock.advance(20_000);
        const [claimed] = (await claimDeliveries(store)).claimed.filter(({ to }) => to === "later");
        assert.ok(claimed);
        assert.ok(
          Math.abs(claimed.waitedMs - hourMs) <= 20_000,
          "it is given up after a day, and no other time",
        );
      });

      test(`${stepName}: it is said once`, async () => {
        const { clock, isShared } = opened;
        await deliverLater(store, 10_000);
        await step(stepMs);
        clock.advance(5000);
        await store.probe();
        clock.advance(5000);
        await store.probe();
        const deliveries = isShared && stepMs > 0 ? 0 : 1;
        assert.deepEqual(told, [{ stepMs, moved: { runs: 0, deliveries, mails: 0 } }]);
      });

      test(`${stepName}: a repeated request is one for a day`, async () => {
        const { clock, isShared } = opened;
        if (isShared && stepMs > 0) return;
        const request = () =>
          anAcceptance({ runs: [aRun()], idempotency: { key: "k", fingerprint: "same" } });
        await store.accept(request());
        await step(stepMs);
        clock.advance(idempotencyMs - 20 * 60_000);
        assert.equal((await store.accept(request())).kind, "replayed");
      });
    }

    for (const [stepName, stepMs] of clockSteps.filter(([, ms]) => ms < 0)) {
      test(`${stepName} while it was closed: due work is due, and a wait is no longer than it was`, async () => {
        const { clock } = opened;
        await deliverLater(store, hourMs, "later");
        await deliverLater(store, 10_000, "soon");
        await acceptRuns(store, aRun({ sessionKey: "hook:talk" }), aRun({ sessionKey: "hook:talk" }));
        await reopen(stepMs);
        assert.equal(told.length, 1);
        assert.ok(Math.abs(told[0]!.stepMs - stepMs) <= 1000);
        for (const _ of [1, 2]) assert.ok(await store.settleRun(await claimNext(store), aSettlement()));
        assert.deepEqual((await claimDeliveries(store)).claimed, []);
        clock.advance(11_000);
        assert.deepEqual(
          (await claimDeliveries(store)).claimed.map(({ to }) => to),
          ["soon"],
        );
        clock.advance(hourMs - 13_000);
        assert.ok(!(await claimDeliveries(store)).claimed.some(({ to }) => to === "later"));
        clock.advance(13_000);
        assert.ok((await claimDeliveries(store)).claimed.some(({ to }) => to === "later"));

        await store.close();
        await open();
        assert.deepEqual(told, [], "it is said once");
      });
    }

    test("a step back while it was closed is found also after others while it was open", async () => {
      const { clock } = opened;
      await step(2 * dayMs);
      clock.advance(2 * 60_000);
      await step(-2 * dayMs);
      await talk(store);
      await reopen(-hourMs);
      assert.ok(Math.abs(told[0]!.stepMs + hourMs) <= 1000);
      clock.advance(leaseMs + 1000);
      for (const _ of [1, 2, 3]) assert.ok(await store.settleRun(await claimNext(store), aSettlement()));
    });

    test("parked runs are let go on the next day by the new clock", async () => {
      const { clock } = opened;
      const budget = { runsPerDay: 1, tokensPerDay: 1000, moneyPerDay: null };
      await acceptRuns(store, aRun(), aRun());
      const [first, second] = [await claimNext(store), await claimNext(store)];
      assert.equal((await startRun(store, first, { budget })).kind, "go");
      assert.equal((await startRun(store, second, { budget })).kind, "parked");
      await store.settleRun(first, aSettlement());
      await step(-2 * dayMs);
      assert.deepEqual((await claim(store)).claimed, []);
      clock.advance(dayMs);
      assert.equal((await claimNext(store)).id, second.id);
    });

    test("a heartbeat is due after its period at the latest", async () => {
      const beat = () => store.beatIfDue({ agentId: "main", delayMs: 0 }, hourMs);
      await beat();
      await step(-2 * dayMs);
      assert.equal(await beat(), hourMs);
    });

    test("of several nodes, one heals a step, and says so", async () => {
      const { clock, isShared } = opened;
      if (!isShared) return;
      const others = [await opened.open(), await opened.open()];
      const toldByOthers: ClockStep[] = [];
      for (const other of others) {
        other.watchClock((each) => toldByOthers.push(each));
        await other.probe();
      }
      await deliverLater(store, hourMs);
      await step(-hourMs / 2);
      clock.advance(100);
      for (const other of others) await other.probe();
      for (const other of others) await other.close();
      clock.advance(hourMs - 2000);
      assert.deepEqual((await claimDeliveries(store)).claimed, [], "it was not moved twice");
      assert.deepEqual([told.length, toldByOthers], [1, []]);
      clock.advance(2000);
      assert.equal((await claimDeliveries(store)).claimed.length, 1);
    });

    test("clocks that are not set are nothing to tell of", async () => {
      const { clock } = opened;
      await talk(store);
      await deliverLater(store, hourMs);
      for (const ms of [1, 400, 60_000, dayMs]) {
        clock.advance(ms);
        clock.step(ms > 400 ? 0 : 20);
        await store.probe();
      }
      await reopen(0);
      assert.deepEqual(told, []);
    });
  });
}
