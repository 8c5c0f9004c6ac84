// Replies of several messages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeChannel } from "../../test/fakes/channel.ts";
import { eventually } from "../../test/fakes/clock.ts";
import { setUpCourier } from "../../test/fakes/courier.ts";
import { createChannels } from "../channels/registry.ts";
import { StoreUnavailable } from "../core/errors.ts";

test("a long reply is sent message by message, and goes on where it was stopped", async (t) => {
  const { reply, courierTo, find, clock } = await setUpCourier(t);
  const id = await reply({}, { text: "one\ntwo\nthree" });
  let isBusy = true;
  const channel = createFakeChannel(({ text }) =>
    text === "two" && isBusy ? { kind: "retry", reason: "busy", afterMs: 1000 } : { kind: "sent" },
  );
  const courier = courierTo(channel);
  await courier.tick();
  assert.deepEqual([(await find(id)).status, (await find(id)).sentMessages], ["waiting", 1]);
  isBusy = false;
  await clock.advance(1000);
  await courier.tick();
  assert.deepEqual([(await find(id)).status, (await find(id)).sentMessages], ["sent", 3]);
  assert.deepEqual(
    channel.sent.map((message) => [message.id, message.text]),
    [
      [`${id}-0`, "one"],
      [`${id}-1`, "two"],
      [`${id}-1`, "two"],
      [`${id}-2`, "three"],
    ],
  );
});

test("after a crash between messages it goes on at the first not known to be sent", async (t) => {
  const { reply, courierTo, find, store, clock } = await setUpCourier(t);
  const id = await reply({}, { text: "one\ntwo\nthree" });
  await store.claimDeliveries({ channel: "telegram", limit: 1, lease: "crashed", leaseMs: 1000 });
  await store.advanceDelivery({ id, lease: "crashed", sentMessages: 2, leaseMs: 1000 });
  await clock.advance(1000);
  const channel = createFakeChannel();
  await courierTo(channel).tick();
  assert.deepEqual([(await find(id)).status, channel.sent.map(({ text }) => text)], ["sent", ["three"]]);
});

test("no message is sent twice when the store is unavailable between two", async (t) => {
  const { reply, courierTo, find, store, clock } = await setUpCourier(t);
  const id = await reply({}, { text: "one\ntwo" });
  let away = 3;
  const flaky = {
    ...store,
    advanceDelivery: async (...progress: Parameters<typeof store.advanceDelivery>) => {
      if (away-- > 0) throw new StoreUnavailable("away");
      return store.advanceDelivery(...progress);
    },
  };
  const channel = createFakeChannel();
  const ticked = courierTo(channel, { store: flaky }).tick();
  await eventually(async () => {
    await clock.advance(100);
    return away < 0;
  });
  await ticked;
  assert.deepEqual([(await find(id)).status, channel.sent.map(({ text }) => text)], ["sent", ["one", "two"]]);
});

test("once a message was sent, the rest goes to the same target only", async (t) => {
  const { reply, courierTo, find, store, clock } = await setUpCourier(t);
  const id = await reply({}, { text: "one\ntwo" });
  await store.claimDeliveries({ channel: "telegram", limit: 1, lease: "crashed", leaseMs: 1000 });
  await store.advanceDelivery({ id, lease: "crashed", sentMessages: 1, leaseMs: 1000 });
  await clock.advance(1000);
  const slack = createFakeChannel();
  const channels = () => createChannels(new Map([["slack", { channel: slack, to: "C1" }]]));
  await courierTo(createFakeChannel(), { channels }).tick();
  assert.deepEqual([(await find(id)).status, slack.sent], ["failed", []]);
  assert.equal((await find(id)).error, "the channel telegram is not configured; configured: slack");
});

test("a reply that renders to no message fails with that reason", async (t) => {
  const { reply, courierTo, find } = await setUpCourier(t);
  const id = await reply();
  await courierTo({ ...createFakeChannel(), render: () => [] }).tick();
  assert.equal((await find(id)).error, "nothing of it can be shown there");
});
