import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeChannel, createSilentChannel } from "../../test/fakes/channel.ts";
import { eventually } from "../../test/fakes/clock.ts";
import { setUpCourier, telegram } from "../../test/fakes/courier.ts";
import { noMetrics } from "../core/metrics.ts";
import { createChannels } from "../channels/registry.ts";
import { anAcceptance } from "../../test/builders/acceptance.ts";
import { aRun } from "../../test/builders/run.ts";
import { aDelivery, aSettlement } from "../../test/builders/settlement.ts";
import type { Store } from "../store/ports/store.ts";

/** Stores deliveries to that many recipients, without an agent. */
async function flood(store: Store, count: number): Promise<void> {
  const runs = Array.from({ length: count }, () => aRun());
  await store.accept(anAcceptance({ runs }));
  const { claimed } = await store.claimRuns({ kind: "hook", limit: count, lease: "flood", leaseMs: 60_000 });
  const settled = claimed.map((each, at) =>
    store.settleRun(each, aSettlement({ delivery: aDelivery({ runId: each.id, to: String(at) }) })),
  );
  assert.equal((await Promise.all(settled)).filter(Boolean).length, count);
}

test("a reply is sent", async (t) => {
  const { reply, courierTo, find, clock, notices } = await setUpCourier(t);
  const id = await reply();
  const channel = createFakeChannel();
  await courierTo(channel).tick();
  assert.deepEqual(channel.sent, [{ id: `${id}-0`, to: "5", text: "done" }]);
  const { status, sentAt, attempts, error } = await find(id);
  assert.deepEqual([status, sentAt, attempts, error], ["sent", clock.now(), 1, null]);
  assert.deepEqual(await notices(), []);
});

test("an unreachable platform is retried until it responds", async (t) => {
  const { reply, courierTo, find, clock } = await setUpCourier(t);
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
  const { reply, courierTo, find, notices } = await setUpCourier(t);
  const id = await reply();
  await courierTo(createFakeChannel(() => ({ kind: "rejected", reason: "no such chat" }))).tick();
  assert.deepEqual([(await find(id)).status, (await find(id)).error], ["failed", "no such chat"]);
  assert.deepEqual(await notices(), ["A reply could not be delivered on telegram: no such chat"]);
});

test("a delivery to a channel that is gone fails with the reason", async (t) => {
  const { reply, courierTo, find } = await setUpCourier(t);
  const id = await reply();
  const channels = () => createChannels(new Map());
  await courierTo(createFakeChannel(), { channels }).tick();
  assert.deepEqual(
    [(await find(id)).status, (await find(id)).error],
    ["failed", "the channel telegram is not configured, and no other is"],
  );
});

test("a kept reply that is retried while there is still no channel is kept again, without a notice", async (t) => {
  const { reply, courierTo, find, store, notices } = await setUpCourier(t);
  const id = await reply({}, { configured: [] });
  await store.retryDelivery(id);
  const ends: unknown[][] = [];
  const metrics = { ...noMetrics, deliveryEnded: (...end: unknown[]) => void ends.push(end.slice(0, 2)) };
  const channels = () => createChannels(new Map());
  await courierTo(createFakeChannel(), { channels, metrics }).tick();
  const { status, channel, error } = await find(id);
  assert.deepEqual([status, channel, error], ["suppressed", "last", "no channel is configured"]);
  assert.deepEqual([await notices(), ends], [[], [["last", "suppressed"]]]);
});

test("a reply that had nowhere to go can be retried once a channel is there", async (t) => {
  const { reply, courierTo, find, store } = await setUpCourier(t);
  const id = await reply({}, { configured: [] });
  assert.deepEqual([(await find(id)).status, (await find(id)).channel], ["suppressed", "last"]);
  await store.retryDelivery(id);
  const channel = createFakeChannel();
  const courier = courierTo(channel);
  await courier.tick();
  assert.deepEqual([(await find(id)).channel, channel.sent], ["telegram", []], "first it queues there");
  await courier.tick();
  const { status, to, attempts } = await find(id);
  assert.deepEqual([status, to, attempts, channel.sent.length], ["sent", "5", 1, 1]);
});

test("a platform that never responds is tried twice, then the delivery is unknown", async (t) => {
  const { reply, courierTo, find, clock, notices } = await setUpCourier(t);
  const id = await reply();
  const deaf = createFakeChannel(() => new Promise(() => {}));
  const courier = courierTo(deaf);
  for (let attempt = 1; attempt <= 2; attempt++) {
    const ticked = courier.tick();
    await eventually(() => deaf.sent.length === attempt);
    await clock.advance(60_000);
    await ticked;
    await clock.advance(60_000);
  }
  const { status, error } = await find(id);
  assert.deepEqual([status, error], ["unknown", "it may have been sent: no answer within 60 seconds"]);
  assert.equal((await notices()).length, 1);
});

test("a channel that throws is an unknown outcome", async (t) => {
  const { reply, courierTo, find } = await setUpCourier(t);
  const id = await reply();
  await courierTo(createFakeChannel(() => Promise.reject(new TypeError("secret")))).tick();
  assert.equal((await find(id)).error, "it may have been sent: internal fault: TypeError");
});

test("deliveries to one recipient go in order, one at a time; to others in parallel", async (t) => {
  const { reply, courierTo } = await setUpCourier(t);
  for (const [to, text] of [
    ["5", "first"],
    ["5", "second"],
    ["6", "other"],
  ] as const)
    await reply({ channel: "telegram", to }, { text });
  const finish: ((outcome: { kind: "sent" }) => void)[] = [];
  const channel = createFakeChannel(() => new Promise((resolve) => finish.push(resolve)));
  const courier = courierTo(channel);
  courier.start();
  await eventually(() => channel.sent.length === 2);
  assert.deepEqual(
    channel.sent.map(({ text }) => text),
    ["first", "other"],
  );
  finish[0]!({ kind: "sent" });
  await eventually(() => channel.sent.length === 3);
  assert.equal(channel.sent[2]?.text, "second");
  for (const each of finish) each({ kind: "sent" });
  await courier.drain(1000);
});

test("a recipient the platform does not know is refused before anything is sent", async (t) => {
  const { reply, courierTo, find } = await setUpCourier(t);
  const id = await reply();
  const channel = { ...createFakeChannel(), recipientFault: () => "must be a number" };
  await courierTo(channel).tick();
  assert.deepEqual(
    [(await find(id)).status, (await find(id)).error],
    ["failed", "the recipient must be a number"],
  );
  assert.deepEqual(channel.sent, []);
});

test("a delivery that has failed goes to its fallback, which has none itself", async (t) => {
  const { reply, courierTo, find, store, notices } = await setUpCourier(t);
  const refusing = createFakeChannel(() => ({ kind: "rejected", reason: "no such chat" }));
  const id = await reply({ fallback: { channel: "slack", to: null } }, { text: "one\ntwo" });
  const slack = createFakeChannel();
  const channels = () =>
    createChannels(
      new Map([
        ["telegram", { channel: refusing, to: "5" }],
        ["slack", { channel: slack, to: "C1" }],
      ]),
    );
  const courier = courierTo(refusing, { channels });
  await courier.tick();
  await courier.tick();
  assert.deepEqual(
    [(await find(id)).status, (await find(id)).error],
    ["failed", "no such chat (goes to C1 on slack instead)"],
  );
  assert.deepEqual(
    slack.sent.map(({ to, text }) => [to, text]),
    [
      ["C1", "one"],
      ["C1", "two"],
    ],
  );
  const made = await store.listDeliveries({ limit: null, runId: (await find(id)).runId });
  assert.deepEqual(
    made.map(({ channel, status, fallback }) => [channel, status, fallback]),
    [
      ["slack", "sent", null],
      ["telegram", "failed", { channel: "slack", to: null }],
    ],
  );
  assert.deepEqual(await notices(), []);
});

test("a flood to a dead platform does not delay other channels", async (t) => {
  const { reply, courierTo, find, store } = await setUpCourier(t);
  const configured = [...telegram, { channel: "slack", to: "C1" }];
  await flood(store, 1000);
  const dead = createSilentChannel();
  const slack = createFakeChannel();
  const channels = () =>
    createChannels(
      new Map([
        ["telegram", { channel: dead, to: "5" }],
        ["slack", { channel: slack, to: "C1" }],
      ]),
    );
  const courier = courierTo(dead, { channels });
  courier.start();
  await eventually(() => dead.sent.length === 4);
  const ids: string[] = [];
  for (let at = 0; at < 5; at++) {
    ids.push(await reply({ channel: "slack" }, { configured }));
    courier.kick("slack");
  }
  await eventually(() => slack.sent.length === 5);
  await eventually(async () => (await find(ids[4]!)).status === "sent");
  assert.equal(dead.sent.length, 4, "no time has passed: the dead channel had no more than its slots");
  await courier.drain(0);
});

test("a node whose clock is a day ahead of the store's, or behind it, does not give a delivery up", async (t) => {
  for (const aheadMs of [25 * 3_600_000, -25 * 3_600_000]) {
    const { reply, courierTo, find, clock } = await setUpCourier(t);
    const id = await reply();
    const busy = createFakeChannel(() => ({ kind: "retry", reason: "busy", afterMs: 3_600_000 }));
    const wrong = { ...clock, now: () => clock.now() + aheadMs };
    const courier = courierTo(busy, { clock: wrong });
    await courier.tick();
    assert.deepEqual([(await find(id)).status, (await find(id)).error], ["waiting", "busy"]);
    for (let hours = 1; hours <= 24; hours++) {
      await clock.advance(3_600_000);
      await courier.tick();
    }
    assert.deepEqual(
      [(await find(id)).status, (await find(id)).error],
      ["failed", "given up after 24 hours: busy"],
    );
  }
});
