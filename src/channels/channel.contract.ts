// The suite every channel passes. A platform's test gives it a server to talk to that behaves in each of these ways.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Channel, OutgoingMessage } from "../sdk/channel.ts";

export type ChannelHarness = {
  /** A recipient of a form the platform knows. */
  to: string;
  /** A platform that takes the message. */
  accepting: () => Channel | Promise<Channel>;
  /** A platform that refuses the message. */
  refusing: () => Channel | Promise<Channel>;
  /** A platform that asks to wait `afterMs`; left out where it never names a delay. */
  limiting?: (afterMs: number) => Channel | Promise<Channel>;
  /** A platform that takes the message and never responds. */
  silent: () => Channel | Promise<Channel>;
};

const markdown = "Hello.\n\n**Bold** ünï 🙂";

/** The first message of a reply, as the outbox sends it. */
const firstMessage = (channel: Channel, to: string): OutgoingMessage => ({
  id: "0198c0de-0000-7000-8000-000000000001-0",
  to,
  text: channel.render(markdown)[0] ?? "",
});

export function channelContract(name: string, harness: ChannelHarness): void {
  describe(`channel contract: ${name}`, () => {
    test("an accepted message is sent", async () => {
      const channel = await harness.accepting();
      assert.deepEqual(await channel.send(firstMessage(channel, harness.to), new AbortController().signal), {
        kind: "sent",
      });
    });

    test("a reply of any length gives non-empty messages, and always the same", async () => {
      const channel = await harness.accepting();
      const long = `${markdown}\n\n${"word ".repeat(20_000)}`;
      const messages = channel.render(long);
      assert.ok(messages.length > 0 && messages.every((text) => text.trim() !== ""));
      assert.deepEqual(channel.render(long), messages);
    });

    test("recipients are checked", async () => {
      const channel = await harness.accepting();
      assert.equal(channel.recipientFault(harness.to), null);
      assert.equal(typeof channel.recipientFault(" "), "string");
    });

    test("a check says whether the platform accepts messages", async () => {
      const going = new AbortController().signal;
      assert.equal((await (await harness.accepting()).check(going)).ok, true);
    });

    test("a refusal is an outcome with a reason", async () => {
      const channel = await harness.refusing();
      const outcome = await channel.send(firstMessage(channel, harness.to), new AbortController().signal);
      assert.equal(outcome.kind, "rejected");
      assert.ok("reason" in outcome && outcome.reason.length > 0);
    });

    const { limiting } = harness;
    if (limiting)
      test("a platform's delay is passed on, not waited for", async () => {
        const channel = await limiting(7000);
        const outcome = await channel.send(firstMessage(channel, harness.to), new AbortController().signal);
        assert.ok(outcome.kind === "retry" && outcome.afterMs === 7000);
      });

    test("a message that is stopped before the response may have been sent", async () => {
      const channel = await harness.silent();
      const stop = new AbortController();
      const outcome = channel.send(firstMessage(channel, harness.to), stop.signal);
      setImmediate(() => stop.abort());
      assert.equal((await outcome).kind, "unknown");
    });
  });
}
