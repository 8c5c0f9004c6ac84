import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type ConfiguredChannel, resolveTarget, type Target, type WantedTarget } from "./target.ts";

const resolved = (
  wanted: Partial<WantedTarget>,
  configured: readonly ConfiguredChannel[],
  lastTarget: Target | null = null,
) => resolveTarget({ channel: "last", to: null, ...wanted }, { lastTarget, configured });

const slack = { channel: "slack", to: "C1" };
const discord = { channel: "discord", to: null };

describe("a target that does not resolve", () => {
  test("is suppressed when no channel is configured and none was asked for by name", () => {
    for (const to of [null, "5"])
      assert.deepEqual(resolved({ to }, []), {
        ok: false,
        status: "suppressed",
        channel: "last",
        reason: "no channel is configured",
      });
  });

  for (const [what, target, channel, reason] of [
    [
      "a named channel that is missing among others",
      resolved({ channel: "telegram" }, [slack, discord]),
      "telegram",
      "the channel telegram is not configured; configured: slack, discord",
    ],
    [
      "a named channel where there is none",
      resolved({ channel: "telegram" }, []),
      "telegram",
      "the channel telegram is not configured, and no other is",
    ],
    [
      "a last recipient on a channel that is missing",
      resolved({}, [slack], { channel: "signal", to: "+1" }),
      "signal",
      "the channel signal is not configured; configured: slack",
    ],
    [
      "no last recipient, and more than one channel",
      resolved({}, [slack, discord]),
      "whatsapp",
      "no last recipient is set, and the channel whatsapp is not configured; configured: slack, discord",
    ],
    [
      "a channel without a recipient",
      resolved({ channel: "discord" }, [slack, discord]),
      "discord",
      "no recipient is known for the channel discord",
    ],
  ] as const)
    test(`has failed: ${what}`, () =>
      assert.deepEqual(target, { ok: false, status: "failed", channel, reason }));
});

test("last is the last recipient, else whatsapp, else the only channel there is", () => {
  const whatsapp = { channel: "whatsapp", to: "+2" };
  const target = (...given: Parameters<typeof resolved>) => {
    const found = resolved(...given);
    return found.ok ? found.target : found;
  };
  assert.deepEqual(target({}, [slack, whatsapp], { channel: "slack", to: "C9" }), {
    channel: "slack",
    to: "C9",
  });
  assert.deepEqual(target({}, [slack, whatsapp]), whatsapp);
  assert.deepEqual(target({}, [slack]), slack);
  assert.deepEqual(target({ to: "C2" }, [slack]), { channel: "slack", to: "C2" });
});
