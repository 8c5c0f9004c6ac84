// What happens to deliveries when the gateway stops or crashes, or the store is unavailable.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeChannel, createSilentChannel } from "../../test/fakes/channel.ts";
import { eventually } from "../../test/fakes/clock.ts";
import { setUpCourier } from "../../test/fakes/courier.ts";
import { StoreUnavailable } from "../core/errors.ts";

test("drain waits for what is being sent, then stops it", async (t) => {
  const { reply, courierTo, find, clock } = await setUpCourier(t);
  const id = await reply();
  const channel = createSilentChannel();
  const courier = courierTo(channel);
  courier.start();
  await eventually(() => channel.sent.length === 1);
  const drained = courier.drain(3000);
  await clock.advance(2999);
  assert.equal(courier.busy(), 1);
  await clock.advance(1);
  await drained;
  assert.equal((await find(id)).error, "it may have been sent: stopped before the platform responded");
  assert.equal(clock.waiting(), 0, "nothing keeps the process alive");
});

test("drain ends though a channel ignores its signal", async (t) => {
  const { reply, courierTo, find, clock } = await setUpCourier(t);
  const id = await reply();
  const deaf = createFakeChannel(() => new Promise(() => {}));
  const courier = courierTo(deaf);
  courier.start();
  await eventually(() => deaf.sent.length === 1);
  const drained = courier.drain(0);
  await clock.advance(2000);
  await drained;
  assert.equal((await find(id)).error, "it may have been sent: the gateway stopped before an answer came");
});

test("a message not sent because of the stop costs no attempt", async (t) => {
  const { reply, courierTo, find } = await setUpCourier(t);
  const id = await reply();
  const channel = createFakeChannel(async (_message, signal) => {
    await new Promise((stopped) => signal.addEventListener("abort", stopped));
    return { kind: "retry", reason: "stopped before it was sent", afterMs: null };
  });
  const courier = courierTo(channel);
  courier.start();
  await eventually(() => channel.sent.length === 1);
  await courier.drain(0);
  assert.deepEqual([(await find(id)).status, (await find(id)).attempts], ["waiting", 0]);
});

test("a stop while a reply is rendered gives it back, and costs no attempt", async (t) => {
  const { reply, courierTo, find } = await setUpCourier(t);
  const id = await reply();
  const channel = createFakeChannel();
  const rendering = Promise.withResolvers<void>();
  const courier = courierTo(channel, {
    async render(_name, _channel, _markdown, stopping) {
      rendering.resolve();
      await new Promise((stopped) => stopping.addEventListener("abort", stopped));
      return null;
    },
  });
  courier.start();
  await rendering.promise;
  await courier.drain(0);
  const { status, attempts } = await find(id);
  assert.deepEqual([status, attempts, channel.sent], ["waiting", 0, []]);
});

test("a message is sent once, even if the store is unavailable just after it", async (t) => {
  const { reply, courierTo, find, store, clock } = await setUpCourier(t);
  const id = await reply();
  let away = 3;
  const flaky = {
    ...store,
    settleDelivery: async (...settling: Parameters<typeof store.settleDelivery>) => {
      if (away-- > 0) throw new StoreUnavailable("away");
      return store.settleDelivery(...settling);
    },
  };
  const channel = createFakeChannel();
  const ticked = courierTo(channel, { store: flaky }).tick();
  await eventually(async () => {
    await clock.advance(100);
    return away < 0;
  });
  await ticked;
  assert.deepEqual([(await find(id)).status, channel.sent.length], ["sent", 1]);
});

test("after a crash a delivery is sent when its lease has ended", async (t) => {
  const { reply, courierTo, find, store, clock } = await setUpCourier(t);
  const id = await reply();
  await store.claimDeliveries({ channel: "telegram", limit: 1, lease: "crashed", leaseMs: 1000 });
  const courier = courierTo(createFakeChannel());
  await courier.tick();
  assert.equal((await find(id)).status, "waiting");
  await clock.advance(1000);
  await courier.tick();
  assert.deepEqual([(await find(id)).status, (await find(id)).attempts], ["sent", 2]);
});
