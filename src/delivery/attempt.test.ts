import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ClaimedDelivery, SendOutcome } from "../core/delivery.ts";
import { giveBack, sendPolicy, settleSend, settleUnresolved } from "./attempt.ts";

const hour = 3_600_000;

const delivery = (more: Partial<ClaimedDelivery> = {}): ClaimedDelivery => ({
  id: "delivery",
  runId: "run",
  channel: "last",
  to: null,
  text: "Done.",
  status: "waiting",
  error: null,
  attempts: 1,
  createdAt: 0,
  sentAt: null,
  lease: "lease",
  ...more,
});

const settled = (outcome: SendOutcome, of = delivery(), { now = 1000, random = 0 } = {}) =>
  settleSend(of, { channel: "telegram", to: "5" }, outcome, sendPolicy, {
    now,
    random,
    newId: () => "notice",
  });

const retry = (afterMs: number | null = null): SendOutcome => ({ kind: "retry", reason: "busy", afterMs });
const base = { delayMs: 0, countsAttempt: true, channel: "telegram", to: "5", notice: null };

describe("after an attempt to send", () => {
  test("sent is the end, with the target it went to", () =>
    assert.deepEqual(settled({ kind: "sent" }), { ...base, status: "sent", error: null }));

  test("a refusal is the end, with a notice", () =>
    assert.deepEqual(settled({ kind: "rejected", reason: "no such\nchat" }), {
      ...base,
      status: "failed",
      error: "no such\nchat",
      notice: {
        id: "notice",
        sessionKey: "main",
        source: "notice",
        hook: null,
        text: "A reply could not be delivered on telegram: no such chat",
      },
    }));

  test("a platform's own delay is kept to", () =>
    assert.deepEqual(settled(retry(7000)), { ...base, status: "waiting", delayMs: 7000, error: "busy" }));

  test("without one it waits longer each time, at most an hour", () => {
    const delays = [1, 2, 5, 12, 13, 40].map(
      (attempts) => settled(retry(), delivery({ attempts }), { random: 1 }).delayMs,
    );
    assert.deepEqual(delays, [1000, 2000, 16_000, 2_048_000, hour, hour]);
    assert.equal(settled(retry(), delivery({ attempts: 12 }), { random: 0 }).delayMs, 500);
  });

  test("it is given up when the next attempt would come a day after it was made", () => {
    const now = 24 * hour - 7000;
    assert.equal(settled(retry(7000), delivery(), { now }).status, "waiting");
    const { status, error, notice } = settled(retry(7001), delivery(), { now });
    assert.deepEqual([status, error], ["failed", "given up after 24 hours: busy"]);
    assert.equal(notice?.text, "A reply could not be delivered on telegram: given up after 24 hours: busy");
  });

  test("no answer is tried once more, then it stays unknown, with a notice", () => {
    const first = settled({ kind: "unknown", reason: "silence" });
    assert.deepEqual([first.status, first.delayMs, first.notice], ["waiting", 500, null]);
    const second = settled(
      { kind: "unknown", reason: "silence" },
      delivery({ attempts: 2, error: first.error }),
    );
    assert.deepEqual([second.status, second.error], ["unknown", "it may have been sent: silence"]);
    assert.equal(
      second.notice?.text,
      "A reply may not have been delivered on telegram: it may have been sent: silence",
    );
  });

  test("no answer after an unreachable platform still has its second try", () =>
    assert.equal(
      settled({ kind: "unknown", reason: "silence" }, delivery({ attempts: 4, error: "busy" })).status,
      "waiting",
    ));
});

test("with nowhere to go it has failed, with a notice", () => {
  const { status, error, channel, notice } = settleUnresolved(
    delivery(),
    { ok: false, channel: "whatsapp", reason: "no channel is configured" },
    () => "notice",
  );
  assert.deepEqual([status, error, channel], ["failed", "no channel is configured", "whatsapp"]);
  assert.ok(notice);
});

test("given back it costs nothing", () =>
  assert.deepEqual(giveBack(delivery({ error: "before" })), {
    ...base,
    channel: "last",
    to: null,
    status: "waiting",
    countsAttempt: false,
    error: "before",
  }));
