import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { StoreUnavailable } from "../core/errors.ts";
import { plainText } from "../core/message.ts";
import type { MailAccount } from "../core/mail.ts";
import type { MailCommit } from "../core/mail.ts";
import type { Store } from "../store/ports/store.ts";
import { acceptMail, createLab, keyOf, type Lab } from "../../test/fixtures/mailbox.ts";
import { MailFault } from "./mailbox.ts";

const numbered = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, at) => `m${String(from + at).padStart(4, "0")}`);
const keysOf = (ids: readonly string[]): string[] => ids.map(keyOf);
const accountOf = async ({ store }: Lab): Promise<MailAccount> => (await store.listMailAccounts())[0]!;
const records = async ({ store }: Lab): Promise<string[]> =>
  (await store.listRequests({ limit: null }))
    .map(({ outcome, reason }) => `${outcome}: ${reason}`)
    .toReversed();
const notices = async ({ store }: Lab): Promise<string[]> =>
  (await store.waitingEvents("main", 100)).map(({ text }) => plainText(text));

/** The store, whose n-th commit does not answer: it was not made, or was made and nobody heard. */
function crashing(store: Store, at: number, when: "before" | "after"): Store {
  let commits = 0;
  return {
    ...store,
    async commitMail(commit: MailCommit) {
      const isIt = ++commits === at;
      if (isIt && when === "before") throw new StoreUnavailable("it is away");
      const result = await store.commitMail(commit);
      if (isIt) throw new StoreUnavailable("it went away");
      return result;
    },
  };
}

suite("the mail engine", { concurrency: true }, () => {
  test("what was there before the first look is left alone; then each mail is one run, in order", async (t) => {
    const lab = await createLab(t);
    lab.box.arrive("old");
    const watch = lab.watch();
    assert.equal(await watch.tick(), "done");
    lab.box.arrive("a", "b");
    await watch.tick();
    lab.box.arrive("c");
    await watch.tick();
    await watch.tick();
    assert.deepEqual(await lab.keys(), keysOf(["a", "b", "c"]));
    const { cursor, cursorAt, lastSyncAt, status, lastError } = await accountOf(lab);
    assert.deepEqual([cursor, cursorAt, lastSyncAt], ["4", lab.clock.now(), lab.clock.now()]);
    assert.deepEqual([status, lastError], ["ok", null]);
  });

  test("ids that come again, doubled or in another order, lead to nothing more", async (t) => {
    const lab = await createLab(t);
    const watch = lab.watch();
    await watch.tick();
    lab.box.arrive("b", "a", "b");
    const { mailbox } = lab.box;
    const whole = {
      ...mailbox,
      changes: async () => ({ kind: "changes", ids: ["a", "b"], cursor: "3" }) as const,
    };
    await lab.watch({ mailbox: whole }).tick();
    await watch.tick();
    await lab
      .watch({
        mailbox: {
          ...whole,
          changes: async () => ({ kind: "changes", ids: ["b", "a"], cursor: "3" }) as const,
        },
      })
      .tick();
    assert.deepEqual((await lab.keys()).toSorted(), keysOf(["a", "b"]));
    assert.equal(lab.box.count("fetch"), 2);
  });

  for (const when of ["before", "after"] as const) {
    for (const at of [1, 2, 3, 4]) {
      test(`a crash ${when} commit ${at} loses nothing and doubles nothing`, async (t) => {
        const lab = await createLab(t);
        await lab.watch({ store: crashing(lab.store, at === 1 ? 1 : 99, when) }).tick();
        await lab.watch().tick();
        const ids = numbered(250);
        lab.box.arrive(...ids);
        const doomed = lab.watch({ store: crashing(lab.store, at - 1, when) });
        await doomed.tick();
        if (at > 1) assert.equal((await accountOf(lab)).cursor, at === 4 && when === "after" ? "250" : "0");
        await lab.watch().tick();
        assert.deepEqual(await lab.keys(), keysOf(ids));
        assert.equal((await accountOf(lab)).cursor, "250");
      });
    }
  }

  test("a large batch is stored in steps, and its cursor only with the last; what is stored is not read again", async (t) => {
    const lab = await createLab(t);
    await lab.watch().tick();
    lab.box.arrive(...numbered(250));
    const commits: [number, string | null][] = [];
    const store = {
      ...lab.store,
      commitMail: (commit: MailCommit) => {
        commits.push([commit.mails.length, commit.end?.cursor ?? null]);
        return lab.store.commitMail(commit);
      },
    };
    lab.box.fail("fetch", new MailFault("retry", "busy", 1000), { id: "m0230" });
    assert.equal(await lab.watch({ store }).tick(), "failed");
    assert.deepEqual(commits.slice(0, 2), [
      [100, null],
      [100, null],
    ]);
    const stored = (await lab.keys()).length;
    assert.ok(stored >= 225 && stored < 250, String(stored));
    const before = lab.box.count("fetch");
    await lab.watch({ store }).tick();
    assert.equal(lab.box.count("fetch") - before, 250 - stored);
    assert.deepEqual((await lab.keys()).toSorted(), keysOf(numbered(250)));
    assert.deepEqual(commits.at(-1), [250 - stored, "250"]);
  });

  test("who reads slowly stores what there is every second, and moves the cursor with the last", async (t) => {
    const lab = await createLab(t);
    await lab.watch().tick();
    lab.box.arrive(...numbered(40));
    const commits: [number, string | null][] = [];
    const commitMail: Store["commitMail"] = (commit) => {
      commits.push([commit.mails.length, commit.end?.cursor ?? null]);
      return lab.store.commitMail(commit);
    };
    lab.box.state.onFetch = () => lab.clock.advance(150);
    assert.equal(await lab.watch({ store: { ...lab.store, commitMail } }).tick(), "done");
    assert.ok(commits.length > 2, JSON.stringify(commits));
    assert.deepEqual(
      commits.map(([, cursor]) => cursor),
      [...commits.slice(1).map(() => null), "40"],
    );
    assert.deepEqual(await lab.keys(), keysOf(numbered(40)));
  });

  test("at most five messages are read at once", async (t) => {
    const lab = await createLab(t);
    await lab.watch().tick();
    lab.box.arrive(...numbered(40));
    let now = 0;
    let most = 0;
    lab.box.state.onFetch = async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
    };
    await lab.watch().tick();
    assert.equal(most, 5);
  });

  test("a mail that the mapping leaves out is recorded and not looked at again", async (t) => {
    const lab = await createLab(t);
    const watch = lab.watch({ decide: async () => ({ outcome: "skipped", reason: "no mapping took it" }) });
    await watch.tick();
    lab.box.arrive("a");
    await watch.tick();
    await lab.watch().tick();
    assert.deepEqual(await lab.keys(), []);
    assert.deepEqual(await records(lab), ["skipped: mail a: no mapping took it"]);
    assert.equal(lab.box.count("fetch"), 1);
  });

  test("a mapping that breaks is tried again a few times, and then the mail is given up with a record", async (t) => {
    const lab = await createLab(t);
    const broken = lab.watch({ decide: async () => ({ outcome: "failed", reason: "the transform broke" }) });
    await broken.tick();
    lab.box.arrive("a", "b");
    await broken.tick();
    assert.equal((await accountOf(lab)).cursor, "2");
    for (const minutes of [1, 10]) {
      await lab.clock.advance(minutes * 60_000 - 1);
      const before = lab.box.count("fetch");
      await broken.tick();
      assert.equal(lab.box.count("fetch"), before);
      await lab.clock.advance(1);
      await broken.tick();
      assert.equal(lab.box.count("fetch"), before + 2);
    }
    await lab.clock.advance(3_600_000);
    lab.box.state.gone.add("b");
    await broken.tick();
    await lab.clock.advance(86_400_000);
    await lab.watch().tick();
    assert.deepEqual(await lab.keys(), []);
    assert.deepEqual((await records(lab)).slice(-2), [
      "failed: mail a: the transform broke; given up after 4 tries",
      "skipped: mail b: it was gone before it could be read",
    ]);
    assert.equal((await records(lab)).length, 8);
  });

  test("a mapping that was mended in time takes the mail", async (t) => {
    const lab = await createLab(t);
    const broken = lab.watch({ decide: async () => ({ refused: "model-not-allowed" }) });
    await broken.tick();
    lab.box.arrive("a");
    await broken.tick();
    await lab.clock.advance(60_000);
    await lab.watch().tick();
    await lab.clock.advance(60_000);
    await lab.watch().tick();
    assert.deepEqual(await lab.keys(), keysOf(["a"]));
    assert.deepEqual(await records(lab), ["failed: mail a: model-not-allowed; it is tried again"]);
  });

  test("gone before it could be read: recorded, and the others go on", async (t) => {
    const lab = await createLab(t);
    const watch = lab.watch();
    await watch.tick();
    lab.box.arrive("a", "b", "c");
    lab.box.state.gone.add("b");
    await watch.tick();
    assert.deepEqual(await lab.keys(), keysOf(["a", "c"]));
    assert.deepEqual(await records(lab), ["skipped: mail b: it was gone before it could be read"]);
  });

  test("spam is left alone, and is a mail like any other once it is none", async (t) => {
    const lab = await createLab(t);
    const watch = lab.watch();
    await watch.tick();
    lab.box.arrive("a");
    lab.box.state.excluded.add("a");
    await watch.tick();
    assert.deepEqual([await lab.keys(), await records(lab)], [[], []]);
    lab.box.state.excluded.clear();
    lab.box.arrive("a");
    await watch.tick();
    assert.deepEqual(await lab.keys(), keysOf(["a"]));
  });

  test("a full queue makes the mail wait, not fail", async (t) => {
    const lab = await createLab(t);
    await lab.watch().tick();
    lab.box.arrive("a");
    const full = lab.watch({ decide: async () => ({ refused: "queue-full", retryAfterSeconds: 30 }) });
    assert.equal(await full.tick(), "failed");
    assert.equal((await accountOf(lab)).lastError, "too many runs are waiting");
    await lab.watch().tick();
    assert.deepEqual([await lab.keys(), await records(lab)], [keysOf(["a"]), []]);
  });

  test("one mail that can never be read does not hold up the others, nor the cursor for ever", async (t) => {
    const lab = await createLab(t);
    const watch = lab.watch();
    await watch.tick();
    lab.box.arrive("a", "poison", "b");
    lab.box.fail("fetch", new MailFault("retry", "Google could not answer (500)"), {
      id: "poison",
      times: 99,
    });
    assert.equal(await watch.tick(), "failed");
    assert.deepEqual((await lab.keys()).toSorted(), keysOf(["a", "b"]));
    for (let times = 0; times < 10; times++) {
      lab.box.arrive(`later${times}`);
      await watch.tick();
    }
    assert.equal((await accountOf(lab)).cursor, "13");
    assert.equal(await watch.tick(), "done");
    assert.deepEqual(
      (await records(lab))[0],
      "failed: mail poison: Google could not answer (500); it is tried again",
    );
    assert.equal((await lab.keys()).length, 12);
  });

  test("a mail that breaks our own code is tried again and given up, and the others go on", async (t) => {
    const lab = await createLab(t);
    const watch = lab.watch();
    await watch.tick();
    lab.box.arrive("broken", "a");
    lab.box.fail("fetch", new RangeError("secret text"), { id: "broken", times: 99 });
    assert.equal(await watch.tick(), "done");
    assert.deepEqual(await lab.keys(), keysOf(["a"]));
    assert.deepEqual(await records(lab), [
      "failed: mail broken: it could not be taken in (RangeError); it is tried again",
    ]);
  });

  test("an expired cursor: what came since is listed, and what was left out is said once", async (t) => {
    const lab = await createLab(t);
    const watch = lab.watch();
    await watch.tick();
    lab.box.arrive("a");
    await watch.tick();
    lab.box.arrive("b", "c");
    Object.assign(lab.box.state, { oldest: 2, skipped: 7 });
    await lab.clock.advance(10 * 86_400_000);
    const doomed = lab.watch({ store: crashing(lab.store, 1, "before") });
    assert.equal(await doomed.tick(), "failed");
    assert.deepEqual(await notices(lab), []);
    await watch.tick();
    await watch.tick();
    assert.deepEqual(await lab.keys(), keysOf(["a", "b", "c"]));
    const [notice = "", ...more] = await notices(lab);
    assert.equal(more.length, 0);
    assert.match(notice, /^The mailbox me@mail.test could not be followed without a gap since 2026-01-01T/);
    assert.match(notice, /7 mails were left out: older than 7 days, or beyond the newest 500/);
    assert.equal(lab.box.count("catchUp"), 2);
    assert.equal((await accountOf(lab)).cursor, "3");
  });

  test("an expired cursor with nothing left out needs no notice; an unknown number is said to be one", async (t) => {
    const lab = await createLab(t);
    const watch = lab.watch();
    await watch.tick();
    lab.box.arrive("a");
    lab.box.state.oldest = 1;
    await watch.tick();
    assert.deepEqual([await lab.keys(), await notices(lab)], [keysOf(["a"]), []]);
    lab.box.arrive("b");
    Object.assign(lab.box.state, { oldest: 2, skipped: null });
    await watch.tick();
    assert.match((await notices(lab))[0] ?? "", /An unknown number of mails was left out/);
  });

  test("two nodes: while one looks the other does not, and a lease that ended is taken over and fences", async (t) => {
    const lab = await createLab(t);
    const other = lab.watch();
    await other.tick();
    lab.box.arrive("a");
    const entered = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    lab.box.state.onFetch = async () => {
      entered.resolve();
      await goOn.promise;
    };
    const slow = lab.watch({
      store: { ...lab.store, renewMailbox: () => Promise.reject(new StoreUnavailable("away")) },
    });
    const looking = slow.tick();
    await entered.promise;
    assert.equal(await other.tick(), "busy");
    lab.box.state.onFetch = async () => {};
    await lab.clock.advance(leaseMs());
    assert.equal(await other.tick(), "done");
    goOn.resolve();
    assert.equal(await looking, "busy");
    assert.deepEqual(await lab.keys(), keysOf(["a"]));
    assert.equal((await accountOf(lab)).status, "ok");
  });

  test("the lease is renewed while a look takes long", async (t) => {
    const lab = await createLab(t);
    const watch = lab.watch();
    await watch.tick();
    lab.box.arrive("a");
    const entered = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    lab.box.state.onFetch = async () => {
      entered.resolve();
      await goOn.promise;
    };
    const renewals: boolean[] = [];
    const renewMailbox: Store["renewMailbox"] = async (hold) => {
      const held = await lab.store.renewMailbox(hold);
      renewals.push(held);
      return held;
    };
    const looking = lab.watch({ store: { ...lab.store, renewMailbox } }).tick();
    await entered.promise;
    for (let seconds = 0; seconds < 40; seconds++) {
      const before = renewals.length;
      await lab.clock.advance(1000);
      while (renewals.length === before) await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(await watch.tick(), "busy");
    goOn.resolve();
    assert.equal(await looking, "done");
    assert.deepEqual(await lab.keys(), keysOf(["a"]));
  });

  test("what is stored is told, and only that", async (t) => {
    const lab = await createLab(t);
    const told: number[] = [];
    const watch = lab.watch({ onStored: (all) => void told.push(all.length), decide: acceptMail });
    await watch.tick();
    lab.box.arrive("a", "b");
    await watch.tick();
    await watch.tick();
    assert.deepEqual(told, [2]);
  });
});

const leaseMs = (): number => 15_000;
