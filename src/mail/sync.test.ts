// Syncs store every mail once, also when the store fails between.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  acceptMail,
  createMailScene,
  holdReads,
  keyOf,
  keysOf,
  leaseMs,
  recordCommits,
} from "../../test/fixtures/mailbox.ts";
import { StoreUnavailable } from "../core/errors.ts";
import type { MailCommit } from "../core/mail.ts";
import type { Store } from "../store/ports/store.ts";
import { MailFault } from "./mailbox.ts";

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `m${String(at).padStart(4, "0")}`);

/** The store, whose n-th commit fails before or after it is made. */
function crashing(store: Store, at: number, when: "before" | "after"): Store {
  let commits = 0;
  return {
    ...store,
    async commitMail(commit: MailCommit) {
      const isAwaited = ++commits === at;
      if (isAwaited && when === "before") throw new StoreUnavailable("it is away");
      const result = await store.commitMail(commit);
      if (isAwaited) throw new StoreUnavailable("it went away");
      return result;
    },
  };
}

suite("new mail", { concurrency: true }, () => {
  test("mail from before the first sync is not read; then each mail is one run, in order", async (t) => {
    const scene = await createMailScene(t);
    scene.box.arrive("old");
    const schedule = await scene.started();
    scene.box.arrive("a", "b");
    await schedule.tick();
    scene.box.arrive("c");
    await schedule.tick();
    await schedule.tick();
    assert.deepEqual(await scene.keys(), keysOf(["a", "b", "c"]));
    const { cursor, cursorAt, lastSyncAt, status, lastError } = await scene.account();
    const now = scene.clock.now();
    assert.deepEqual([cursor, cursorAt, lastSyncAt], ["4", now, now]);
    assert.deepEqual([status, lastError], ["ok", null]);
  });

  test("an id that is listed twice, again, or in another order is read once", async (t) => {
    const scene = await createMailScene(t);
    const schedule = await scene.started();
    scene.box.arrive("b", "a", "b");
    const listing = (...ids: string[]) => ({
      ...scene.box.mailbox,
      changes: async () => ({ kind: "changes", ids, cursor: "3" }) as const,
    });
    await scene.schedule({ mailbox: listing("a", "b") }).tick();
    await schedule.tick();
    await scene.schedule({ mailbox: listing("b", "a") }).tick();
    assert.deepEqual((await scene.keys()).toSorted(), keysOf(["a", "b"]));
    assert.equal(scene.box.count("fetch"), 2);
  });

  test("onStored is called with stored runs only", async (t) => {
    const scene = await createMailScene(t);
    const stored: number[] = [];
    const onStored = (all: readonly unknown[]) => void stored.push(all.length);
    const schedule = await scene.started({ onStored, decide: acceptMail });
    scene.box.arrive("a", "b");
    await schedule.tick();
    await schedule.tick();
    assert.deepEqual(stored, [2]);
  });

  test("at most five messages are read at once", async (t) => {
    const scene = await createMailScene(t);
    const schedule = await scene.started();
    scene.box.arrive(...numbered(40));
    let now = 0;
    let most = 0;
    scene.box.state.onFetch = async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
    };
    await schedule.tick();
    assert.equal(most, 5);
  });
});

suite("batches and crashes", { concurrency: true }, () => {
  for (const when of ["before", "after"] as const) {
    for (const at of [1, 2, 3, 4]) {
      test(`a crash ${when} commit ${at} loses nothing and doubles nothing`, async (t) => {
        const scene = await createMailScene(t);
        await scene.started({ store: crashing(scene.store, at === 1 ? 1 : 99, when) });
        await scene.started();
        const ids = numbered(250);
        scene.box.arrive(...ids);
        await scene.started({ store: crashing(scene.store, at - 1, when) });
        const { cursor } = await scene.account();
        if (at > 1) assert.equal(cursor, at === 4 && when === "after" ? "250" : "0");
        await scene.started();
        assert.deepEqual(await scene.keys(), keysOf(ids));
        assert.equal((await scene.account()).cursor, "250");
      });
    }
  }

  test("many messages are stored in batches, the cursor with the last; stored ones are not read again", async (t) => {
    const scene = await createMailScene(t);
    await scene.started();
    scene.box.arrive(...numbered(250));
    const { store, commits } = recordCommits(scene.store);
    scene.box.fail("fetch", new MailFault("retry", "busy", 1000), { id: "m0230" });
    assert.equal(await scene.schedule({ store }).tick(), "failed");
    assert.deepEqual(commits.slice(0, 2), [
      [100, null],
      [100, null],
    ]);
    const stored = (await scene.keys()).length;
    assert.ok(stored >= 225 && stored < 250, String(stored));
    const before = scene.box.count("fetch");
    await scene.started({ store });
    assert.equal(scene.box.count("fetch") - before, 250 - stored);
    assert.deepEqual((await scene.keys()).toSorted(), keysOf(numbered(250)));
    assert.deepEqual(commits.at(-1), [250 - stored, "250"]);
  });

  test("when reading is slow, the mails read so far are stored in between", async (t) => {
    const scene = await createMailScene(t);
    await scene.started();
    scene.box.arrive(...numbered(40));
    const { store, commits } = recordCommits(scene.store);
    scene.box.state.onFetch = () => scene.clock.advance(150);
    assert.equal(await scene.schedule({ store }).tick(), "done");
    assert.ok(commits.length > 2, JSON.stringify(commits));
    assert.deepEqual(
      commits.map(([, cursor]) => cursor),
      [...commits.slice(1).map(() => null), "40"],
    );
    assert.deepEqual(await scene.keys(), keysOf(numbered(40)));
  });
});

suite("an expired cursor", { concurrency: true }, () => {
  test("mail since then is listed, and one notice says how much was left out", async (t) => {
    const scene = await createMailScene(t);
    const schedule = await scene.started();
    scene.box.arrive("a");
    await schedule.tick();
    scene.box.arrive("b", "c");
    Object.assign(scene.box.state, { oldest: 2, skipped: 7 });
    await scene.clock.advance(10 * 86_400_000);
    const doomed = scene.schedule({ store: crashing(scene.store, 1, "before") });
    assert.equal(await doomed.tick(), "failed");
    assert.deepEqual(await scene.notices(), []);
    await schedule.tick();
    await schedule.tick();
    assert.deepEqual(await scene.keys(), keysOf(["a", "b", "c"]));
    const [notice = "", ...more] = await scene.notices();
    assert.equal(more.length, 0);
    assert.match(notice, /^The mailbox me@mail.test could not be followed without a gap since 2026-01-01T/);
    assert.match(notice, /7 mails were left out: older than 7 days, or beyond the newest 500/);
    assert.equal(scene.box.count("catchUp"), 2);
    assert.equal((await scene.account()).cursor, "3");
  });

  test("when nothing was left out there is no notice; an unknown number is called unknown", async (t) => {
    const scene = await createMailScene(t);
    const schedule = await scene.started();
    scene.box.arrive("a");
    scene.box.state.oldest = 1;
    await schedule.tick();
    assert.deepEqual([await scene.keys(), await scene.notices()], [keysOf(["a"]), []]);
    scene.box.arrive("b");
    Object.assign(scene.box.state, { oldest: 2, skipped: null });
    await schedule.tick();
    assert.match((await scene.notices())[0] ?? "", /An unknown number of mails was left out/);
  });
});

suite("the lease on an account", { concurrency: true }, () => {
  test("only one node syncs; when its lease ends another takes over, and the first can store nothing", async (t) => {
    const scene = await createMailScene(t);
    const other = await scene.started();
    scene.box.arrive("a");
    const reads = holdReads(scene);
    const slow = scene.schedule({
      store: { ...scene.store, renewMailbox: () => Promise.reject(new StoreUnavailable("away")) },
    });
    const syncing = slow.tick();
    await reads.entered;
    assert.equal(await other.tick(), "busy");
    scene.box.state.onFetch = async () => {};
    await scene.clock.advance(leaseMs);
    assert.equal(await other.tick(), "done");
    reads.release();
    assert.equal(await syncing, "busy");
    assert.deepEqual(await scene.keys(), [keyOf("a")]);
    assert.equal((await scene.account()).status, "ok");
  });

  test("it is renewed while a sync takes long", async (t) => {
    const scene = await createMailScene(t);
    const other = await scene.started();
    scene.box.arrive("a");
    const reads = holdReads(scene);
    let renewals = 0;
    const renewMailbox: Store["renewMailbox"] = (claim) =>
      scene.store.renewMailbox(claim).finally(() => void renewals++);
    const syncing = scene.schedule({ store: { ...scene.store, renewMailbox } }).tick();
    await reads.entered;
    for (let seconds = 0; seconds < 40; seconds++) {
      const before = renewals;
      await scene.clock.advance(1000);
      while (renewals === before) await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(await other.tick(), "busy");
    reads.release();
    assert.equal(await syncing, "done");
    assert.deepEqual(await scene.keys(), [keyOf("a")]);
  });
});
