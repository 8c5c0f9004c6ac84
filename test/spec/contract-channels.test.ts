// Contract, sections 4 and 5: replies that are delivered by one channel. A real gateway with the Telegram channel, which
// calls a server of ours.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { plainText } from "../../src/core/message.ts";
import { agents, runAndDeliver, sentTo, telegram } from "../support/channels.ts";
import { forEachStore, startTestGateway, type StoreKind } from "../support/gateway.ts";

async function startWithTelegram(t: TestContext, store: StoreKind) {
  const { url, calls } = await telegram();
  const channels = { telegram: { token: "1:token", apiBase: url, to: "777" } };
  const gateway = await startTestGateway(t, { agents, channels }, { store });
  return { gateway, calls, last: () => sentTo(calls).at(-1) };
}

forEachStore("one channel: recipients", async (t, store) => {
  const { gateway, last } = await startWithTelegram(t, store);

  await t.test("a reply goes to the channel and recipient that were asked for", async () => {
    const { delivery } = await runAndDeliver(gateway, "green", { channel: "Telegram", to: "12345" });
    assert.deepEqual(
      [
        delivery?.channel,
        delivery?.to,
        delivery?.status,
        delivery?.attempts,
        delivery?.sentMessages,
        delivery?.error,
      ],
      ["telegram", "12345", "sent", 1, 1, null],
    );
    assert.ok(delivery?.sentAt);
    assert.deepEqual([last()?.chat_id, last()?.text], [12345, "All <b>green</b>."]);
  });

  await t.test("without a last recipient or whatsapp, last is the only configured channel", async () => {
    const { delivery } = await runAndDeliver(gateway, "green");
    assert.deepEqual([delivery?.status, last()?.chat_id], ["sent", 777]);
  });

  await t.test("last is the main session's last recipient", async () => {
    await gateway.inspect.setLastTarget({ channel: "telegram", to: "5" });
    await runAndDeliver(gateway, "green", { channel: "last" });
    assert.equal(last()?.chat_id, 5);
  });

  await t.test("without to it is the last recipient if that is on this channel", async () => {
    await runAndDeliver(gateway, "green", { channel: "telegram" });
    assert.equal(last()?.chat_id, 5);
    await gateway.inspect.setLastTarget({ channel: "signal", to: "+15550100" });
    await runAndDeliver(gateway, "green", { channel: "telegram" });
    assert.equal(last()?.chat_id, 777, "else the channel's own");
  });

  await t.test(
    "a last recipient on a channel that is not configured: failed, and the summary says so",
    async () => {
      const { delivery } = await runAndDeliver(gateway, "green", { name: "lost" });
      assert.deepEqual(
        [delivery?.status, delivery?.error],
        ["failed", "the channel signal is not configured; configured: telegram"],
      );
      const summaries = (await gateway.events("summary")).map(({ text }) => plainText(text));
      assert.ok(
        summaries.includes(
          "Hook lost: All **green**.\n(The reply was not delivered: the channel signal is not configured; configured: telegram.)",
        ),
      );
      await gateway.inspect.setLastTarget(null);
    },
  );
});

forEachStore("one channel: messages and refusals", async (t, store) => {
  const { gateway, calls } = await startWithTelegram(t, store);

  await t.test("an acknowledgement is not sent", async () => {
    const before = calls.length;
    const { delivery } = await runAndDeliver(gateway, "quiet");
    assert.deepEqual([delivery?.status, calls.length], ["suppressed", before]);
  });

  await t.test("a long reply is several messages, in order", async () => {
    const before = calls.length;
    const { delivery } = await runAndDeliver(gateway, "long", { to: "9" });
    const texts = sentTo(calls.slice(before)).map(({ text }) => text);
    assert.ok(texts.length > 1);
    assert.deepEqual([delivery?.status, delivery?.sentMessages], ["sent", texts.length]);
    const parts = [...texts.join("\n").matchAll(/Part (\d)\./g)].map((found) => found[1]);
    assert.deepEqual(parts, ["0", "1", "2", "3", "4", "5", "6", "7", "8"]);
  });

  await t.test("a refusal is final, has its reason, and is reported to the main session once", async () => {
    const { delivery } = await runAndDeliver(gateway, "green", { channel: "telegram", to: "666" });
    assert.deepEqual([delivery?.status, delivery?.attempts], ["failed", 1]);
    const notices = (await gateway.events("notice")).map(({ text }) => plainText(text));
    assert.deepEqual(notices, [`A reply could not be delivered on telegram: ${delivery?.error}`]);
    assert.match(delivery?.error ?? "", /blocked/);
  });

  await t.test("a recipient of an unknown form is refused without a call to the platform", async () => {
    const before = calls.length;
    const { delivery } = await runAndDeliver(gateway, "green", { channel: "telegram", to: "some body" });
    assert.equal(delivery?.status, "failed");
    assert.match(delivery.error ?? "", /^the recipient must be a chat id/);
    assert.equal(calls.length, before);
  });

  await t.test("replies to one recipient arrive in the order they were made", async () => {
    for (let at = 0; at < 8; at++)
      await gateway.post("agent", { message: "m", to: "31", agentId: "named", wakeMode: "next-heartbeat" });
    const deliveries = await gateway.waitFor("all of them", async () => {
      const found = (await gateway.deliveries()).filter(({ to }) => to === "31");
      return found.length === 8 && found.every(({ status }) => status === "sent") && found;
    });
    const arrived = sentTo(calls).filter(({ chat_id }) => chat_id === 31);
    assert.deepEqual(
      arrived.map(({ text }) => text),
      deliveries.map(({ text }) => text).toReversed(),
    );
  });

  await t.test("a heartbeat's reply goes to the last recipient", async () => {
    await gateway.inspect.setLastTarget({ channel: "telegram", to: "42" });
    await gateway.post("wake", { text: "the disk is full" });
    await gateway.waitFor("the heartbeat's reply", async () =>
      sentTo(calls).some(({ chat_id, text }) => chat_id === 42 && text === "Look!"),
    );
  });
});
