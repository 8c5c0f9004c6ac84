// The suite every channel passes. A platform's test gives it a server to talk to that behaves in each of these ways.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Channel } from "./channel.ts";

export type ChannelHarness = {
  /** A platform that takes the message. */
  accepting: () => Channel | Promise<Channel>;
  /** A platform that says no for good. */
  refusing: () => Channel | Promise<Channel>;
  /** A platform that asks to be left alone for `afterMs`. */
  limiting: (afterMs: number) => Channel | Promise<Channel>;
  /** A platform that takes the message and never answers. */
  silent: () => Channel | Promise<Channel>;
};

const message = {
  deliveryId: "0198c0de-0000-7000-8000-000000000001",
  to: "12345",
  text: "Hello.\n\n**Bold** ünï 🙂",
};

export function channelContract(name: string, harness: ChannelHarness): void {
  describe(`channel contract: ${name}`, () => {
    test("a message that was taken is sent", async () => {
      const channel = await harness.accepting();
      assert.deepEqual(await channel.send(message, new AbortController().signal), { kind: "sent" });
    });

    test("a refusal is an outcome with a reason", async () => {
      const channel = await harness.refusing();
      const outcome = await channel.send(message, new AbortController().signal);
      assert.equal(outcome.kind, "rejected");
      assert.ok("reason" in outcome && outcome.reason.length > 0);
    });

    test("a platform's delay is passed on, not waited for", async () => {
      const channel = await harness.limiting(7000);
      const outcome = await channel.send(message, new AbortController().signal);
      assert.ok(outcome.kind === "retry" && outcome.afterMs === 7000);
    });

    test("stopped before an answer came, it may have been sent", async () => {
      const channel = await harness.silent();
      const stop = new AbortController();
      const outcome = channel.send(message, stop.signal);
      setImmediate(() => stop.abort());
      assert.equal((await outcome).kind, "unknown");
    });
  });
}
