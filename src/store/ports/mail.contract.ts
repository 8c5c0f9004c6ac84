// Mail accounts: leases, messages taken in once, cursors.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { MailCommit, TakenMail } from "../../core/mail.ts";
import type { Store } from "./store.ts";
import {
  aHeartbeatRequest,
  anAcceptance,
  anEvent,
  anUnusedRequest,
} from "../../../test/builders/acceptance.ts";
import { aRun } from "../../../test/builders/run.ts";
import { leaseMs, type Harness } from "./harness.contract.ts";

const id = "gmail:me@mail.test";
const claimAccount = (store: Store, lease = "reader", account = id) =>
  store.claimMailbox({ id: account, lease, leaseMs });

const accepted = (messageId: string): TakenMail => ({
  id: messageId,
  outcome: "accepted",
  acceptance: anAcceptance({ hook: "gmail", runs: [aRun({ sessionKey: `hook:gmail:${messageId}` })] }),
  record: null,
  retryInMs: null,
});

const failed = (messageId: string, retryInMs: number | null): TakenMail => ({
  id: messageId,
  outcome: retryInMs === null ? "failed" : "waiting",
  acceptance: null,
  record: anUnusedRequest(
    { outcome: "failed", reason: `mail ${messageId}: broken` },
    { hook: "gmail", origin: "mail" },
  ),
  retryInMs,
});

const end = (cursor: string): NonNullable<MailCommit["end"]> => ({
  cursor,
  status: "ok",
  error: null,
  notice: null,
});

const commit = (store: Store, mails: TakenMail[], cursor: string | null, lease = "reader") =>
  store.commitMail({ id, lease, mails, end: cursor === null ? null : end(cursor) });

const keys = async (store: Store): Promise<string[]> =>
  (await store.listRuns({ limit: null, kind: "hook" })).map(({ sessionKey }) => sessionKey).toReversed();

const notice = () => ({ event: anEvent("it says"), heartbeat: aHeartbeatRequest() });

export function mailContract(harness: () => Harness): void {
  describe("mail", () => {
    test("one node has the lease of an account, until it releases it or the lease ends", async () => {
      const { store, clock } = harness();
      const first = await claimAccount(store);
      assert.deepEqual(first, {
        id,
        cursor: null,
        cursorAt: null,
        lastSyncAt: null,
        status: "ok",
        lastError: null,
        watchExpiration: null,
        watchDueAt: null,
        watchDueInMs: null,
      });
      assert.equal(await claimAccount(store, "other"), null);
      assert.ok(await claimAccount(store, "other", "gmail:you@mail.test"));
      await store.releaseMailbox({ id, lease: "other" });
      assert.equal(await claimAccount(store, "other"), null);
      await store.releaseMailbox({ id, lease: "reader" });
      assert.ok(await claimAccount(store, "other"));
      clock.advance(leaseMs - 1);
      assert.equal(await claimAccount(store), null);
      assert.equal(await store.renewMailbox({ id, lease: "other", leaseMs }), true);
      clock.advance(leaseMs - 1);
      assert.equal(await claimAccount(store), null);
      clock.advance(1);
      assert.ok(await claimAccount(store));
      assert.equal(await store.renewMailbox({ id, lease: "other", leaseMs }), false);
    });

    test("messages, all that follows and the cursor are stored in one transaction", async () => {
      const { store, clock } = harness();
      await claimAccount(store);
      const cursor = "18446744073709551615 \u0000";
      assert.deepEqual(await commit(store, [accepted("a"), accepted("b")], cursor), ["a", "b"]);
      assert.deepEqual(await keys(store), ["hook:gmail:a", "hook:gmail:b"]);
      const [account] = await store.listMailAccounts();
      assert.deepEqual(
        [account?.cursor, account?.cursorAt, account?.lastSyncAt],
        [cursor, clock.now(), clock.now()],
      );
      assert.deepEqual(await store.unseenMail(id, ["c", "a", "d", "b"]), ["c", "d"]);
      assert.deepEqual(await store.unseenMail("gmail:you@mail.test", ["a"]), ["a"]);
      assert.deepEqual(await store.unseenMail(id, []), []);
    });

    test("a message that is committed again is ignored", async () => {
      const { store } = harness();
      await claimAccount(store);
      await commit(store, [accepted("a")], null);
      assert.equal((await store.listMailAccounts())[0]?.cursor, null);
      assert.deepEqual(await commit(store, [accepted("b"), accepted("a")], "1"), ["b"]);
      assert.deepEqual(await keys(store), ["hook:gmail:a", "hook:gmail:b"]);
    });

    test("without the lease nothing is stored", async () => {
      const { store, clock } = harness();
      await claimAccount(store);
      clock.advance(leaseMs);
      await claimAccount(store, "other");
      assert.equal(await commit(store, [accepted("a")], "1"), null);
      assert.deepEqual(await keys(store), []);
      assert.deepEqual(await store.unseenMail(id, ["a"]), ["a"]);
      assert.equal((await store.listMailAccounts())[0]?.cursor, null);
    });

    test("a failed message waits, is tried again, and then ends", async () => {
      const { store, clock } = harness();
      await claimAccount(store);
      await commit(store, [failed("a", 1000), failed("b", null)], "1");
      assert.deepEqual(await store.unseenMail(id, ["a", "b"]), []);
      assert.deepEqual(await store.waitingMail(id, 10), []);
      clock.advance(1000);
      assert.deepEqual(await store.waitingMail(id, 10), [{ id: "a", attempts: 1 }]);
      assert.deepEqual(await commit(store, [failed("a", 1000)], null), ["a"]);
      clock.advance(1000);
      assert.deepEqual(await store.waitingMail(id, 10), [{ id: "a", attempts: 2 }]);
      assert.deepEqual(await commit(store, [accepted("a")], null), ["a"]);
      assert.deepEqual(await commit(store, [accepted("a")], null), []);
      assert.deepEqual(await store.waitingMail(id, 10), []);
      assert.deepEqual(await keys(store), ["hook:gmail:a"]);
      assert.deepEqual(
        (await store.listRequests({ limit: null })).map(({ hook, outcome, reason }) => [
          hook,
          outcome,
          reason,
        ]),
        ["a", "b", "a"].map((each) => ["gmail", "failed", `mail ${each}: broken`]),
      );
    });

    test("the notice of a commit is stored only with it", async () => {
      const { store, clock } = harness();
      await claimAccount(store);
      const withNotice = { ...end("1"), notice: notice() };
      await store.commitMail({ id, lease: "wrong", mails: [], end: withNotice });
      assert.deepEqual(await store.waitingEvents("main", 10), []);
      await store.commitMail({ id, lease: "reader", mails: [], end: withNotice });
      assert.equal((await store.waitingEvents("main", 10)).length, 1);
      clock.advance(1000);
      const { claimed } = await store.claimRuns({ kind: "heartbeat", limit: 1, lease: "beat", leaseMs });
      assert.equal(claimed.length, 1);
    });

    test("the status of an account; a notice is stored once for each change", async () => {
      const { store } = harness();
      const bad = { id, lease: null, status: "needs-reauth", error: "the login ended" } as const;
      for (let times = 0; times < 3; times++) await store.noteMail({ ...bad, notice: notice() });
      assert.equal((await store.waitingEvents("main", 10)).length, 1);
      const status = async () => {
        const [account] = await store.listMailAccounts();
        return [account?.status, account?.lastError];
      };
      assert.deepEqual(await status(), ["needs-reauth", "the login ended"]);
      await claimAccount(store);
      await commit(store, [], "1");
      assert.deepEqual(await status(), ["ok", null]);
      await store.noteMail({ ...bad, notice: notice() });
      assert.equal((await store.waitingEvents("main", 10)).length, 2);
    });

    test("when the subscription ends, and when to renew it", async () => {
      const { store, clock } = harness();
      assert.equal((await claimAccount(store))?.watchDueInMs, null);
      const watch = async () => {
        const [listed] = await store.listMailAccounts();
        return [listed?.watchExpiration, listed!.watchDueAt! - clock.now()];
      };
      await store.noteSubscription(id, { lease: null, expiration: 1_900_000_000_000, dueInMs: 5 });
      assert.deepEqual(await watch(), [1_900_000_000_000, 5]);
      await store.noteSubscription(id, { lease: null, expiration: null, dueInMs: 6 });
      assert.deepEqual(await watch(), [1_900_000_000_000, 6]);
      clock.advance(8);
      assert.equal((await claimAccount(store))?.watchDueInMs, -2);
    });

    test("a forgotten account starts again; messages that were taken in stay known for over a year", async () => {
      const { store, clock } = harness();
      await claimAccount(store);
      await commit(store, [accepted("a"), failed("b", 1000)], "1");
      assert.equal(await store.forgetMailAccount(id), true);
      assert.equal(await store.forgetMailAccount(id), false);
      assert.equal((await claimAccount(store))?.cursor, null);
      const retention = { finishedMs: 1, requestsMs: 1, idempotencyMs: 1, conversationTurns: 1 };
      const dayMs = 86_400_000;
      clock.advance(399 * dayMs);
      await store.sweep(retention, 100);
      assert.deepEqual(await store.unseenMail(id, ["a", "b"]), []);
      clock.advance(2 * dayMs);
      await store.sweep(retention, 100);
      assert.deepEqual(await store.unseenMail(id, ["a", "b"]), ["a"]);
    });
  });
}
