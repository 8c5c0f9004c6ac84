import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createMailScene, keyOf, type MailScene } from "../../test/fixtures/mailbox.ts";
import { MailFault } from "./mailbox.ts";

const everyMs = 720 * 60_000;
const weekMs = 7 * 86_400_000;

/** A provider that promises hints for a week, or refuses while `isBroken`. */
function createProvider({ clock }: MailScene) {
  const state = { isBroken: false, calls: 0 };
  const renew = async (): Promise<number> => {
    state.calls++;
    if (state.isBroken) throw new MailFault("broken", "Google knows no such topic (404)");
    return clock.now() + weekMs;
  };
  return { state, renewal: { everyMs, renew } };
}

suite("requesting hints from the provider", { concurrency: true }, () => {
  test("the first sync requests hints, and later ones only when that is due", async (t) => {
    const scene = await createMailScene(t);
    const { state, renewal } = createProvider(scene);
    const schedule = await scene.started({ renewal });
    await schedule.tick();
    assert.equal(state.calls, 1);
    const { watchExpiration, watchDueAt } = await scene.account();
    const now = scene.clock.now();
    assert.deepEqual([watchExpiration, watchDueAt], [now + weekMs, now + everyMs]);
    await scene.clock.advance(everyMs);
    await schedule.tick();
    assert.equal(state.calls, 2);
  });

  test("every process requests hints once at its start", async (t) => {
    const scene = await createMailScene(t);
    const { state, renewal } = createProvider(scene);
    await scene.started({ renewal });
    await scene.started({ renewal });
    assert.equal(state.calls, 2);
  });

  test("while the provider refuses, mail is read, the account is degraded, and the requests back off", async (t) => {
    const scene = await createMailScene(t);
    const { state, renewal } = createProvider(scene);
    const schedule = await scene.started({ renewal });
    state.isBroken = true;
    await scene.clock.advance(everyMs);
    scene.box.arrive("a");
    assert.equal(await schedule.tick(), "done");
    assert.deepEqual(await scene.keys(), [keyOf("a")]);
    const { status, lastError } = await scene.account();
    const error = "hints could not be requested: Google knows no such topic (404)";
    assert.deepEqual([status, lastError], ["degraded", error]);
    await schedule.tick();
    assert.equal(state.calls, 2);
    await scene.clock.advance(60_000);
    state.isBroken = false;
    await schedule.tick();
    assert.equal(state.calls, 3);
    const mended = await scene.account();
    assert.deepEqual([mended.status, mended.lastError], ["ok", null]);
  });
});
