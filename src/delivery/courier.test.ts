import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createFakeAgent } from "../../test/fakes/agent.ts";
import { createFakeChannel, createSilentChannel, type FakeChannel } from "../../test/fakes/channel.ts";
import { eventually } from "../../test/fakes/clock.ts";
import { setUpRunner } from "../../test/fakes/runner.ts";
import { createChannels } from "../channels/registry.ts";
import { StoreUnavailable } from "../core/errors.ts";
import { silentLog } from "../core/log.ts";
import { createCourier, type CourierOptions } from "./courier.ts";

const telegram = [{ channel: "telegram", to: "5" }];

async function setUp(t: TestContext) {
  const { store, clock, runnerWith, enqueue, policy } = await setUpRunner(t);

  /** One reply on its way, made as the runner makes it. */
  async function reply(asked: Parameters<typeof enqueue>[0] = {}, configured = telegram): Promise<string> {
    const runId = await enqueue({ deliver: true, ...asked });
    await runnerWith(createFakeAgent(), { policy: () => ({ ...policy, configured }) }).tick();
    const [delivery] = await store.listDeliveries({ limit: null, runId });
    return delivery!.id;
  }
  const courierTo = (channel: FakeChannel, more: Partial<CourierOptions> = {}) =>
    createCourier({
      store,
      channels: () => createChannels(new Map([["telegram", { channel, to: "5" }]])),
      clock,
      log: silentLog,
      random: () => 0,
      ...more,
    });
  const find = async (id: string) => (await store.findDelivery(id))!;
  const notices = async () =>
    (await store.listEvents({ limit: null }))
      .filter(({ source }) => source === "notice")
      .map(({ text }) => text);
  return { store, clock, reply, courierTo, find, notices };
}

test("a reply is sent", async (t) => {
  const { reply, courierTo, find, clock, notices } = await setUp(t);
  const id = await reply();
  const channel = createFakeChannel();
  await courierTo(channel).tick();
  assert.deepEqual(channel.sent, [{ deliveryId: id, to: "5", text: "done" }]);
  const { status, sentAt, attempts, error } = await find(id);
  assert.deepEqual([status, sentAt, attempts, error], ["sent", clock.now(), 1, null]);
  assert.deepEqual(await notices(), []);
});

test("an unreachable platform is tried again until it answers", async (t) => {
  const { reply, courierTo, find, clock } = await setUp(t);
  const id = await reply();
  let tries = 0;
  const channel = createFakeChannel(() =>
    ++tries < 3 ? { kind: "retry", reason: "unreachable", afterMs: 5000 } : { kind: "sent" },
  );
  const courier = courierTo(channel);
  await courier.tick();
  assert.deepEqual([(await find(id)).status, (await find(id)).error], ["waiting", "unreachable"]);
  await courier.tick();
  assert.equal(tries, 1, "not before its delay");
  for (let attempt = 2; attempt <= 4; attempt++) {
    await clock.advance(5000);
    await courier.tick();
  }
  assert.deepEqual([(await find(id)).status, (await find(id)).attempts], ["sent", 3]);
});

test("a refusal is recorded, with a notice for the main session", async (t) => {
  const { reply, courierTo, find, notices } = await setUp(t);
  const id = await reply();
  await courierTo(createFakeChannel(() => ({ kind: "rejected", reason: "no such chat" }))).tick();
  assert.deepEqual([(await find(id)).status, (await find(id)).error], ["failed", "no such chat"]);
  assert.deepEqual(await notices(), ["A reply could not be delivered on telegram: no such chat"]);
});

test("a channel that is gone fails the delivery with the reason", async (t) => {
  const { reply, courierTo, find } = await setUp(t);
  const id = await reply();
  const channels = () => createChannels(new Map());
  await courierTo(createFakeChannel(), { channels }).tick();
  assert.deepEqual([(await find(id)).status, (await find(id)).error], ["failed", "no channel is configured"]);
});

test("a reply that had nowhere to go can be retried once a channel is there", async (t) => {
  const { reply, courierTo, find, store } = await setUp(t);
  const id = await reply({}, []);
  assert.deepEqual([(await find(id)).status, (await find(id)).channel], ["failed", "whatsapp"]);
  await store.retryDelivery(id);
  const channel = createFakeChannel();
  await courierTo(channel).tick();
  const { status, channel: sentOn, to } = await find(id);
  assert.deepEqual([status, sentOn, to], ["sent", "telegram", "5"]);
});

test("a platform that never answers is tried twice, then unknown", async (t) => {
  const { reply, courierTo, find, clock, notices } = await setUp(t);
  const id = await reply();
  const deaf = createFakeChannel(() => new Promise(() => {}));
  const courier = courierTo(deaf);
  for (let attempt = 1; attempt <= 2; attempt++) {
    const ticked = courier.tick();
    await eventually(() => deaf.sent.length === attempt);
    await clock.advance(60_000);
    await ticked;
    await clock.advance(1000);
  }
  const { status, error } = await find(id);
  assert.deepEqual([status, error], ["unknown", "it may have been sent: no answer within 60 seconds"]);
  assert.equal((await notices()).length, 1);
});

test("a channel that throws is an unknown outcome", async (t) => {
  const { reply, courierTo, find } = await setUp(t);
  const id = await reply();
  await courierTo(createFakeChannel(() => Promise.reject(new TypeError("secret")))).tick();
  assert.equal((await find(id)).error, "it may have been sent: internal fault: TypeError");
});

test("a message is sent once though the store was away when it had been", async (t) => {
  const { reply, courierTo, find, store, clock } = await setUp(t);
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
  const { reply, courierTo, find, store, clock } = await setUp(t);
  const id = await reply();
  await store.claimDeliveries({ limit: 1, lease: "crashed", leaseMs: 1000 });
  const courier = courierTo(createFakeChannel());
  await courier.tick();
  assert.equal((await find(id)).status, "waiting");
  await clock.advance(1000);
  await courier.tick();
  assert.deepEqual([(await find(id)).status, (await find(id)).attempts], ["sent", 2]);
});

test("drain waits for what is being sent, then stops it", async (t) => {
  const { reply, courierTo, find, clock } = await setUp(t);
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
  assert.equal((await find(id)).error, "it may have been sent: stopped before the platform answered");
  assert.equal(clock.waiting(), 0, "nothing keeps the process alive");
});

test("drain ends though a channel ignores its signal", async (t) => {
  const { reply, courierTo, find, clock } = await setUp(t);
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

test("what stopping kept from being sent costs no attempt", async (t) => {
  const { reply, courierTo, find } = await setUp(t);
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
