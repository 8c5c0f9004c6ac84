// Mail that no mapping takes, and mail that cannot be read.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createMailScene, keysOf } from "../../test/fixtures/mailbox.ts";
import { TooLarge } from "../core/response-body.ts";
import { MailFault } from "./mailbox.ts";

suite("mail that a mapping does not accept", { concurrency: true }, () => {
  test("a mail that no mapping takes is recorded and not read again", async (t) => {
    const scene = await createMailScene(t);
    const schedule = await scene.started({
      decide: async () => ({ outcome: "skipped", reason: "no mapping took it" }),
    });
    scene.box.arrive("a");
    await schedule.tick();
    await scene.started();
    assert.deepEqual(await scene.keys(), []);
    assert.deepEqual(await scene.records(), ["skipped: mail a: no mapping took it"]);
    assert.equal(scene.box.count("fetch"), 1);
  });

  test("a mapping that fails is tried again three times; then the mail is given up with a record", async (t) => {
    const scene = await createMailScene(t);
    const schedule = await scene.started({
      decide: async () => ({ outcome: "failed", reason: "the transform broke" }),
    });
    scene.box.arrive("a", "b");
    await schedule.tick();
    assert.equal((await scene.account()).cursor, "2");
    for (const minutes of [1, 10]) {
      await scene.clock.advance(minutes * 60_000 - 1);
      const before = scene.box.count("fetch");
      await schedule.tick();
      assert.equal(scene.box.count("fetch"), before);
      await scene.clock.advance(1);
      await schedule.tick();
      assert.equal(scene.box.count("fetch"), before + 2);
    }
    await scene.clock.advance(3_600_000);
    scene.box.state.gone.add("b");
    await schedule.tick();
    await scene.clock.advance(86_400_000);
    await scene.started();
    assert.deepEqual(await scene.keys(), []);
    const records = await scene.records();
    assert.deepEqual(records.slice(-2), [
      "failed: mail a: the transform broke; given up after 4 tries",
      "skipped: mail b: it was gone before it could be read",
    ]);
    assert.equal(records.length, 8);
  });

  test("a mapping that is corrected between two tries takes the mail", async (t) => {
    const scene = await createMailScene(t);
    const broken = await scene.started({ decide: async () => ({ refused: "model-not-allowed" }) });
    scene.box.arrive("a");
    await broken.tick();
    await scene.clock.advance(60_000);
    await scene.started();
    await scene.clock.advance(60_000);
    await scene.started();
    assert.deepEqual(await scene.keys(), keysOf(["a"]));
    assert.deepEqual(await scene.records(), ["failed: mail a: model-not-allowed; it is tried again"]);
  });

  test("a full queue makes the mail wait, not fail", async (t) => {
    const scene = await createMailScene(t);
    await scene.started();
    scene.box.arrive("a");
    const full = scene.schedule({ decide: async () => ({ refused: "queue-full", retryAfterSeconds: 30 }) });
    assert.equal(await full.tick(), "failed");
    assert.equal((await scene.account()).lastError, "too many runs are waiting");
    await scene.started();
    assert.deepEqual([await scene.keys(), await scene.records()], [keysOf(["a"]), []]);
  });
});

suite("mail that cannot be read", { concurrency: true }, () => {
  test("a mail deleted before it is read is recorded, and the others are taken in", async (t) => {
    const scene = await createMailScene(t);
    const schedule = await scene.started();
    scene.box.arrive("a", "b", "c");
    scene.box.state.gone.add("b");
    await schedule.tick();
    assert.deepEqual(await scene.keys(), keysOf(["a", "c"]));
    assert.deepEqual(await scene.records(), ["skipped: mail b: it was gone before it could be read"]);
  });

  test("spam is left out, and taken in once it is no longer spam", async (t) => {
    const scene = await createMailScene(t);
    const schedule = await scene.started();
    scene.box.arrive("a");
    scene.box.state.excluded.add("a");
    await schedule.tick();
    assert.deepEqual([await scene.keys(), await scene.records()], [[], []]);
    scene.box.state.excluded.clear();
    scene.box.arrive("a");
    await schedule.tick();
    assert.deepEqual(await scene.keys(), keysOf(["a"]));
  });

  test("a mail that always fails stops neither the others nor, in the end, the cursor", async (t) => {
    const scene = await createMailScene(t);
    const schedule = await scene.started();
    scene.box.arrive("a", "poison", "b");
    const fault = new MailFault("retry", "Google could not handle the request (500)");
    scene.box.fail("fetch", fault, { id: "poison", times: 99 });
    assert.equal(await schedule.tick(), "failed");
    assert.deepEqual((await scene.keys()).toSorted(), keysOf(["a", "b"]));
    for (let times = 0; times < 10; times++) {
      scene.box.arrive(`later${times}`);
      await schedule.tick();
    }
    assert.equal((await scene.account()).cursor, "13");
    assert.equal(await schedule.tick(), "done");
    const [first] = await scene.records();
    assert.equal(first, "failed: mail poison: Google could not handle the request (500); it is tried again");
    assert.equal((await scene.keys()).length, 12);
  });

  test("a mail that is too large to be read is recorded with the limit, and the others are taken in", async (t) => {
    const scene = await createMailScene(t);
    const schedule = await scene.started();
    scene.box.arrive("huge");
    scene.box.fail("fetch", new TooLarge("the response", 16), { id: "huge", times: 99 });
    assert.equal(await schedule.tick(), "done");
    scene.box.arrive("a");
    assert.equal(await schedule.tick(), "done");
    assert.deepEqual(await scene.keys(), keysOf(["a"]));
    assert.deepEqual(await scene.records(), [
      "failed: mail huge: it could not be taken in: the response has more than 16 bytes; it is tried again",
    ]);
  });

  test("a mail that makes our code throw is tried again, and the others are taken in", async (t) => {
    const scene = await createMailScene(t);
    const schedule = await scene.started();
    scene.box.arrive("broken", "a");
    scene.box.fail("fetch", new RangeError("secret text"), { id: "broken", times: 99 });
    assert.equal(await schedule.tick(), "done");
    assert.deepEqual(await scene.keys(), keysOf(["a"]));
    assert.deepEqual(await scene.records(), [
      "failed: mail broken: it could not be taken in (RangeError); it is tried again",
    ]);
  });
});
