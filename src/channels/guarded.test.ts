import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeChannel } from "../../test/fakes/channel.ts";
import type { Channel } from "../sdk/channel.ts";
import { channelContract } from "./channel.contract.ts";
import { guarded } from "./guarded.ts";
import { going } from "../../test/fixtures/recording-platform.ts";

const message = { id: "m1", to: "x", text: "y" };
const breaks = () => {
  throw new Error("broken\nin two");
};
const withPart = (part: Record<string, unknown>): Channel =>
  guarded({ ...createFakeChannel(), ...(part as Partial<Channel>) });

channelContract("guarded", {
  to: "12345",
  accepting: () => guarded(createFakeChannel()),
  refusing: () => guarded(createFakeChannel(() => ({ kind: "rejected", reason: "no such chat" }))),
  limiting: (afterMs) => guarded(createFakeChannel(() => ({ kind: "retry", reason: "slow down", afterMs }))),
  silent: () =>
    guarded(
      createFakeChannel(
        (_message, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
          }),
      ),
    ),
});

test("a throw becomes an outcome", async () => {
  for (const broken of [breaks, async () => breaks()]) {
    const channel = withPart({ send: broken, check: broken });
    assert.deepEqual(await channel.send(message, going()), {
      kind: "unknown",
      reason: "the channel broke: broken in two",
    });
    assert.deepEqual(await channel.check(going()), { ok: false, reason: "the channel broke: broken in two" });
  }
  assert.equal(withPart({ recipientFault: breaks }).recipientFault("x"), "broken in two");
});

test("a result of no known form is an unknown outcome", async () => {
  for (const outcome of [undefined, null, true, {}, { kind: "done" }, { kind: "rejected" }]) {
    const channel = withPart({ send: async () => outcome, check: async () => outcome });
    assert.equal((await channel.send(message, going())).kind, "unknown");
    assert.equal((await channel.check(going())).ok, false);
  }
  for (const afterMs of [undefined, -1, Number.NaN, "7"]) {
    const retry = await withPart({ send: async () => ({ kind: "retry", reason: "later", afterMs }) }).send(
      message,
      going(),
    );
    assert.deepEqual(retry, { kind: "retry", reason: "later", afterMs: null });
  }
});

test("a reply that cannot be rendered is sent as written", () => {
  for (const render of [breaks, () => undefined, () => "text", () => [1]])
    assert.deepEqual(withPart({ render }).render("# Hello"), ["# Hello"]);
});
