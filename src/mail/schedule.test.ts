// When an account is synced, and its status meanwhile.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { eventually } from "../../test/fakes/clock.ts";
import { createMailScene, holdReads, keyOf, keysOf, type MailScene } from "../../test/fixtures/mailbox.ts";
import type { Store } from "../store/ports/store.ts";
import { MailFault } from "./mailbox.ts";
import type { MailSchedule } from "./schedule.ts";

const id = "gmail:me@mail.test";
const statusOf = async ({ store }: MailScene) => (await store.listMailAccounts())[0]?.status;

suite("polls and hints", { concurrency: true }, () => {
  test("an account is synced at intervals, and at once after a hint", async (t) => {
    const scene = await createMailScene(t);
    const schedule = scene.schedule();
    schedule.start();
    await scene.synced(1);
    scene.box.arrive("a");
    await scene.clock.advance(29_999);
    assert.equal(scene.box.count("changes"), 0);
    await scene.clock.advance(1);
    await scene.synced(2);
    assert.deepEqual(await scene.keys(), [keyOf("a")]);
    scene.box.arrive("b");
    schedule.hint();
    await scene.synced(3);
    assert.deepEqual(await scene.keys(), keysOf(["a", "b"]));
    await scene.clock.advance(30_000);
    await scene.synced(4);
    assert.equal(scene.box.count("changes"), 3);
  });

  test("hints during a sync lead to exactly one more", async (t) => {
    const scene = await createMailScene(t);
    const schedule = await scene.started();
    scene.box.arrive("a");
    const reads = holdReads(scene);
    schedule.start();
    await reads.entered;
    scene.box.arrive("b");
    for (let times = 0; times < 5; times++) schedule.hint();
    reads.release();
    await scene.synced(3);
    await scene.clock.advance(1000);
    assert.equal(scene.box.count("changes"), 2);
    assert.deepEqual(await scene.keys(), keysOf(["a", "b"]));
  });

  test("a message that is announced before it can be listed is synced for after 2, 5 and 15 seconds", async (t) => {
    const scene = await createMailScene(t);
    const schedule = scene.schedule({ pollMs: 300_000 });
    schedule.start();
    await scene.synced(1);
    scene.box.arrive("a");
    scene.box.state.hidden = 1;
    schedule.hint("1");
    await scene.synced(2);
    for (const [at, seconds] of [2, 5, 15].entries()) {
      await scene.clock.advance(seconds * 1000 - 1);
      assert.equal(scene.box.count("changes"), at + 1);
      if (at === 2) scene.box.state.hidden = 0;
      await scene.clock.advance(1);
      await scene.synced(at + 3);
    }
    assert.deepEqual(await scene.keys(), [keyOf("a")]);
    await scene.clock.advance(200_000);
    assert.equal(scene.box.count("changes"), 4);
    await scene.clock.advance(100_000);
    await scene.synced(6);
  });

  test("a hint of a known position leads to one sync", async (t) => {
    const scene = await createMailScene(t);
    const schedule = scene.schedule({ pollMs: 300_000 });
    scene.box.arrive("a");
    schedule.start();
    await scene.synced(1);
    schedule.hint("1");
    await scene.synced(2);
    await scene.clock.advance(60_000);
    assert.equal(scene.box.count("changes"), 1);
  });
});

suite("syncs that fail", { concurrency: true }, () => {
  test("they back off, longer each time and at least for Retry-After; hints do not shorten that", async (t) => {
    const scene = await createMailScene(t);
    const schedule = scene.schedule();
    schedule.start();
    await scene.synced(1);
    scene.box.arrive("a");
    scene.box.fail("changes", new MailFault("retry", "Google could not handle the request (503)"), {
      times: 2,
    });
    scene.box.fail("changes", new MailFault("retry", "Google's rate limit was met (429)", 90_000));
    schedule.hint();
    await scene.synced(2);
    await eventually(async () => (await statusOf(scene)) === "degraded");
    assert.equal((await scene.account()).lastError, "Google could not handle the request (503)");
    schedule.hint();
    assert.equal(scene.box.count("changes"), 1);
    await scene.wait(750);
    await scene.synced(3);
    await scene.wait(1250);
    await scene.synced(4);
    assert.equal(scene.box.count("changes"), 3);
    await scene.wait(90_500);
    await scene.synced(5);
    assert.deepEqual(await scene.keys(), [keyOf("a")]);
    assert.equal(await statusOf(scene), "ok");
    assert.equal(scene.lines.filter(({ level }) => level === "warn").length, 1);
  });

  test("a refused login ends syncing with one notice, until another schedule takes over", async (t) => {
    const scene = await createMailScene(t);
    const schedule = scene.schedule();
    schedule.start();
    await scene.synced(1);
    scene.box.arrive("a");
    const fault = new MailFault("reauth", "Google no longer takes the login (invalid_grant)");
    scene.box.fail("changes", fault, { times: 2 });
    schedule.hint();
    await scene.synced(2);
    await eventually(async () => (await statusOf(scene)) === "needs-reauth");
    for (let times = 0; times < 3; times++) schedule.hint("9");
    await scene.clock.advance(86_400_000);
    assert.equal(scene.box.count("changes"), 1);
    assert.equal(await scene.schedule().tick(), "parked");
    const [notice = "", ...more] = await scene.notices();
    assert.equal(more.length, 0);
    assert.match(notice, /^New mail of me@mail.test is no longer read: Google no longer takes the login/);
    assert.match(notice, /rouse gmail setup$/);
    assert.equal(await scene.schedule().tick(), "done");
    assert.deepEqual(await scene.keys(), [keyOf("a")]);
    assert.equal(await statusOf(scene), "ok");
  });

  test("a stop ends a running sync, and its lease with it", async (t) => {
    const scene = await createMailScene(t);
    const schedule = await scene.started();
    scene.box.arrive("a");
    const entered = Promise.withResolvers<void>();
    scene.box.state.onFetch = () => {
      entered.resolve();
      return new Promise((resolve) => void setImmediate(resolve));
    };
    schedule.start();
    await entered.promise;
    await schedule.stop();
    scene.box.state.onFetch = async () => {};
    assert.equal(await scene.schedule().tick(), "done");
    assert.deepEqual(await scene.keys(), [keyOf("a")]);
    schedule.hint();
    await scene.clock.advance(60_000);
    assert.equal(scene.box.count("changes"), 2);
  });
});

suite("while another node syncs", { concurrency: true }, () => {
  test("a hint is followed shortly after", async (t) => {
    const scene = await createMailScene(t);
    const schedule = scene.schedule({ pollMs: 300_000 });
    schedule.start();
    await scene.synced(1);
    scene.box.arrive("a");
    await scene.store.claimMailbox({ id, lease: "other", leaseMs: 600_000 });
    schedule.hint();
    await scene.wait(1000);
    await scene.wait(1000);
    assert.equal(scene.box.count("changes"), 0);
    await scene.store.releaseMailbox({ id, lease: "other" });
    await scene.wait(1000);
    await eventually(async () => (await scene.keys()).length === 1, "the run");
  });

  test("a start is followed by a sync as soon as the lease of a dead node ends", async (t) => {
    const scene = await createMailScene(t);
    await scene.store.claimMailbox({ id, lease: "of a dead node", leaseMs: 600_000 });
    scene.schedule({ pollMs: 300_000 }).start();
    await scene.wait(1000);
    await scene.wait(1000);
    assert.equal(scene.box.count("baseline"), 0);
    await scene.store.releaseMailbox({ id, lease: "of a dead node" });
    await scene.wait(1000);
    await scene.synced(1);
    assert.equal(scene.box.count("baseline"), 1);
  });
});

suite("problems with hints", { concurrency: true }, () => {
  test("the account is degraded until they are over", async (t) => {
    const scene = await createMailScene(t);
    const schedule = await scene.started();
    schedule.setProblem("pull", "hints cannot be pulled: 403");
    await schedule.tick();
    assert.equal(await statusOf(scene), "degraded");
    schedule.setProblem("pull", null);
    await schedule.tick();
    assert.equal(await statusOf(scene), "ok");
  });

  test("the account is polled more often meanwhile", async (t) => {
    const scene = await createMailScene(t);
    const schedule = scene.schedule({ pollMs: 300_000, withoutHintsMs: 30_000 });
    schedule.start();
    await scene.synced(1);
    schedule.setProblem("pull", "hints cannot be pulled: 403");
    await scene.wait(30_000);
    await eventually(async () => (await statusOf(scene)) === "degraded");
    schedule.setProblem("pull", null);
    await eventually(async () => (await statusOf(scene)) === "ok");
    await scene.wait(300_000);
  });

  test("an end that comes just after a sync stored the problem is stored by another sync", async (t) => {
    const scene = await createMailScene(t);
    let schedule: MailSchedule | null = null;
    const seen: (string | undefined)[] = [];
    const releaseMailbox: Store["releaseMailbox"] = async (claim) => {
      seen.push(await statusOf(scene));
      schedule?.setProblem("pull", null);
      await scene.store.releaseMailbox(claim);
    };
    schedule = scene.schedule({ pollMs: 300_000, store: { ...scene.store, releaseMailbox } });
    schedule.setProblem("pull", "hints cannot be pulled: 403");
    schedule.start();
    await eventually(() => seen.length > 0, "the first sync");
    assert.equal(seen[0], "degraded");
    await eventually(async () => (await statusOf(scene)) === "ok", "the status");
  });
});
