// When the engine looks, and how it is doing meanwhile.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { eventually } from "../../test/fakes/clock.ts";
import { plainText } from "../core/message.ts";
import type { Store } from "../store/ports/store.ts";
import { createLab, keyOf, type Lab } from "../../test/fixtures/mailbox.ts";
import type { MailSchedule } from "./schedule.ts";
import { MailFault } from "./mailbox.ts";

/** A look that goes on has a real store behind it: it is over when its lease is given back. */
async function rested(lab: Lab, looks: number): Promise<void> {
  await eventually(() => lab.released() >= looks, `${looks} looks`);
}

suite("the mail engine's looks", { concurrency: true }, () => {
  test("at intervals, and at once after a hint", async (t) => {
    const lab = await createLab(t);
    const watch = lab.watch();
    watch.start();
    await rested(lab, 1);
    lab.box.arrive("a");
    await lab.clock.advance(29_999);
    assert.equal(lab.box.count("changes"), 0);
    await lab.clock.advance(1);
    await rested(lab, 2);
    assert.deepEqual(await lab.keys(), [keyOf("a")]);
    lab.box.arrive("b");
    watch.hint();
    await rested(lab, 3);
    assert.deepEqual(await lab.keys(), [keyOf("a"), keyOf("b")]);
    await lab.clock.advance(30_000);
    await rested(lab, 4);
    assert.equal(lab.box.count("changes"), 3);
  });

  test("hints during a look lead to exactly one more", async (t) => {
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
    watch.start();
    await entered.promise;
    lab.box.arrive("b");
    for (let times = 0; times < 5; times++) watch.hint();
    goOn.resolve();
    await rested(lab, 3);
    await lab.clock.advance(1000);
    assert.equal(lab.box.count("changes"), 2);
    assert.deepEqual(await lab.keys(), [keyOf("a"), keyOf("b")]);
  });

  test("after a hint of what cannot be seen yet it is looked for after 2, 5 and 15 seconds", async (t) => {
    const lab = await createLab(t);
    const watch = lab.watch({ pollMs: 300_000 });
    watch.start();
    await rested(lab, 1);
    lab.box.arrive("a");
    lab.box.state.hidden = 1;
    watch.hint("1");
    await rested(lab, 2);
    for (const [at, seconds] of [2, 5, 15].entries()) {
      await lab.clock.advance(seconds * 1000 - 1);
      assert.equal(lab.box.count("changes"), at + 1);
      if (at === 2) lab.box.state.hidden = 0;
      await lab.clock.advance(1);
      await rested(lab, at + 3);
    }
    assert.deepEqual(await lab.keys(), [keyOf("a")]);
    await lab.clock.advance(200_000);
    assert.equal(lab.box.count("changes"), 4);
    await lab.clock.advance(100_000);
    await rested(lab, 6);
  });

  test("a hint of something known leads to one look", async (t) => {
    const lab = await createLab(t);
    const watch = lab.watch({ pollMs: 300_000 });
    lab.box.arrive("a");
    watch.start();
    await rested(lab, 1);
    watch.hint("1");
    await rested(lab, 2);
    await lab.clock.advance(60_000);
    assert.equal(lab.box.count("changes"), 1);
  });

  test("faults: back-off that grows, Retry-After, hints that do not break it, and an end", async (t) => {
    const lab = await createLab(t);
    const watch = lab.watch();
    watch.start();
    await rested(lab, 1);
    lab.box.arrive("a");
    lab.box.fail("changes", new MailFault("retry", "Google could not answer (503)"), { times: 2 });
    lab.box.fail("changes", new MailFault("retry", "Google's rate limit was met (429)", 90_000));
    watch.hint();
    await rested(lab, 2);
    await eventually(async () => (await lab.store.listMailAccounts())[0]?.status === "degraded");
    assert.equal((await lab.store.listMailAccounts())[0]?.lastError, "Google could not answer (503)");
    watch.hint();
    assert.equal(lab.box.count("changes"), 1);
    await lab.wait(750);
    await rested(lab, 3);
    await lab.wait(1250);
    await rested(lab, 4);
    assert.equal(lab.box.count("changes"), 3);
    await lab.wait(90_000);
    await rested(lab, 5);
    assert.deepEqual(await lab.keys(), [keyOf("a")]);
    assert.equal((await lab.store.listMailAccounts())[0]?.status, "ok");
    assert.equal(lab.lines.filter(({ level }) => level === "warn").length, 1);
  });

  test("a login that ended: no more looks, one event, and another watch can go on", async (t) => {
    const lab = await createLab(t);
    const watch = lab.watch();
    watch.start();
    await rested(lab, 1);
    lab.box.arrive("a");
    const fault = new MailFault("reauth", "Google no longer takes the login (invalid_grant)");
    lab.box.fail("changes", fault, { times: 2 });
    watch.hint();
    await rested(lab, 2);
    await eventually(async () => (await lab.store.listMailAccounts())[0]?.status === "needs-reauth");
    for (let times = 0; times < 3; times++) watch.hint("9");
    await lab.clock.advance(86_400_000);
    assert.equal(lab.box.count("changes"), 1);
    assert.equal(await lab.watch().tick(), "parked");
    const events = await lab.store.waitingEvents("main", 10);
    assert.equal(events.length, 1);
    const text = plainText(events[0]!.text);
    assert.match(text, /^New mail of me@mail.test is no longer read: Google no longer takes the login/);
    assert.match(text, /rouse gmail setup$/);
    assert.equal(await lab.watch().tick(), "done");
    assert.deepEqual(await lab.keys(), [keyOf("a")]);
    assert.equal((await lab.store.listMailAccounts())[0]?.status, "ok");
  });

  test("hints are asked for at the start, then at intervals; failing is visible and polling goes on", async (t) => {
    const lab = await createLab(t);
    const asked: number[] = [];
    let isBroken = false;
    const renewal = {
      everyMs: 720 * 60_000,
      async renew() {
        asked.push(lab.clock.now());
        if (isBroken) throw new MailFault("broken", "Google knows no such topic (404)");
        return lab.clock.now() + 7 * 86_400_000;
      },
    };
    const watch = lab.watch({ renewal });
    const account = async () => (await lab.store.listMailAccounts())[0]!;
    await watch.tick();
    await watch.tick();
    assert.equal(asked.length, 1);
    assert.deepEqual(
      [(await account()).watchExpiration, (await account()).watchDueAt],
      [lab.clock.now() + 7 * 86_400_000, lab.clock.now() + 720 * 60_000],
    );
    isBroken = true;
    await lab.clock.advance(720 * 60_000);
    lab.box.arrive("a");
    assert.equal(await watch.tick(), "done");
    assert.deepEqual(await lab.keys(), [keyOf("a")]);
    assert.deepEqual(
      [(await account()).status, (await account()).lastError],
      ["degraded", "hints could not be asked for: Google knows no such topic (404)"],
    );
    await watch.tick();
    assert.equal(asked.length, 2);
    await lab.clock.advance(60_000);
    isBroken = false;
    await watch.tick();
    assert.equal(asked.length, 3);
    assert.deepEqual([(await account()).status, (await account()).lastError], ["ok", null]);
  });

  test("trouble beside the looks is degraded until it is over", async (t) => {
    const lab = await createLab(t);
    const watch = lab.watch();
    const status = async () => (await lab.store.listMailAccounts())[0]?.status;
    await watch.tick();
    watch.setProblem("pull", "hints cannot be pulled: 403");
    await watch.tick();
    assert.equal(await status(), "degraded");
    watch.setProblem("pull", null);
    await watch.tick();
    assert.equal(await status(), "ok");
  });

  test("a hint while another node looks is followed shortly after, not forgotten", async (t) => {
    const lab = await createLab(t);
    const watch = lab.watch({ pollMs: 300_000 });
    watch.start();
    await rested(lab, 1);
    lab.box.arrive("a");
    const id = "gmail:me@mail.test";
    await lab.store.claimMailbox({ id, lease: "other", leaseMs: 600_000 });
    watch.hint();
    await lab.wait(1000);
    await lab.wait(1000);
    assert.equal(lab.box.count("changes"), 0);
    await lab.store.releaseMailbox({ id, lease: "other" });
    await lab.wait(1000);
    await eventually(async () => (await lab.keys()).length === 1, "the run");
  });

  test("a start while one that died still holds the account is followed shortly after it is free", async (t) => {
    const lab = await createLab(t);
    const id = "gmail:me@mail.test";
    await lab.store.claimMailbox({ id, lease: "of one that died", leaseMs: 600_000 });
    lab.watch({ pollMs: 300_000 }).start();
    await lab.wait(1000);
    await lab.wait(1000);
    assert.equal(lab.box.count("baseline"), 0);
    await lab.store.releaseMailbox({ id, lease: "of one that died" });
    await lab.wait(1000);
    await rested(lab, 1);
    assert.equal(lab.box.count("baseline"), 1);
  });

  test("while hints do not come, looks come more often", async (t) => {
    const lab = await createLab(t);
    const watch = lab.watch({ pollMs: 300_000, withoutHintsMs: 30_000 });
    watch.start();
    await rested(lab, 1);
    watch.setProblem("pull", "hints cannot be pulled: 403");
    await lab.wait(30_000);
    await eventually(async () => (await lab.store.listMailAccounts())[0]?.status === "degraded");
    watch.setProblem("pull", null);
    await eventually(async () => (await lab.store.listMailAccounts())[0]?.status === "ok");
    await lab.wait(300_000);
  });

  test("trouble that ends when a look has just said so is followed by another look", async (t) => {
    const lab = await createLab(t);
    const status = async () => (await lab.store.listMailAccounts())[0]?.status;
    let watch: MailSchedule | null = null;
    const seen: (string | undefined)[] = [];
    const releaseMailbox: Store["releaseMailbox"] = async (held) => {
      seen.push(await status());
      watch?.setProblem("pull", null);
      await lab.store.releaseMailbox(held);
    };
    watch = lab.watch({ pollMs: 300_000, store: { ...lab.store, releaseMailbox } });
    watch.setProblem("pull", "hints cannot be pulled: 403");
    watch.start();
    await eventually(() => seen.length > 0, "the first look");
    assert.equal(seen[0], "degraded");
    await eventually(async () => (await status()) === "ok", "the status");
  });

  test("a stop ends a look that is under way, and the lease with it", async (t) => {
    const lab = await createLab(t);
    const watch = lab.watch();
    await watch.tick();
    lab.box.arrive("a");
    const entered = Promise.withResolvers<void>();
    lab.box.state.onFetch = () => {
      entered.resolve();
      return new Promise((resolve) => void setImmediate(resolve));
    };
    watch.start();
    await entered.promise;
    await watch.stop();
    lab.box.state.onFetch = async () => {};
    assert.equal(await lab.watch().tick(), "done");
    assert.deepEqual(await lab.keys(), [keyOf("a")]);
    watch.hint();
    await lab.clock.advance(60_000);
    assert.equal(lab.box.count("changes"), 2);
  });
});
