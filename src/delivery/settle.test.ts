import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ClaimedDelivery, SendOutcome } from "../core/delivery.ts";
import { plainText } from "../core/message.ts";
import { callbackPolicy, released, sendPolicy, settleSend, settleUntried } from "./settle.ts";
import { withFallback } from "./fallback.ts";

const hour = 3_600_000;

const delivery = (more: Partial<ClaimedDelivery> = {}): ClaimedDelivery => ({
  id: "delivery",
  runId: "run",
  channel: "telegram",
  to: "5",
  text: "Done.",
  status: "waiting",
  error: null,
  fallback: null,
  trace: null,
  attempts: 1,
  sentMessages: 1,
  uncertainSends: 0,
  createdAt: 0,
  waitedMs: 0,
  sentAt: null,
  endedAt: null,
  lease: "lease",
  ...more,
});

/** An attempt that found the first message sent and ended at the third. */
const settled = (
  outcome: SendOutcome | { kind: "stopped" },
  of = delivery(),
  { waitedMs = 1000, random = 0, uncertainSends = of.uncertainSends, idempotent = false } = {},
) =>
  settleSend(of, { sentMessages: 2, uncertainSends, outcome }, sendPolicy, {
    waitedMs,
    random,
    newId: () => "notice",
    idempotent,
  });

const retry = (afterMs: number | null = null): SendOutcome => ({ kind: "retry", reason: "busy", afterMs });
const silence: SendOutcome = { kind: "unknown", reason: "silence" };
const base = {
  delayMs: 0,
  countsAttempt: true,
  sentMessages: 2,
  uncertainSends: 0,
  notice: null,
  fallback: null,
};

describe("after an attempt to send", () => {
  test("sent is the end", () =>
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
        text: [
          "A reply could not be delivered on telegram: ",
          { label: "reason", source: "reply", text: "no such chat" },
        ],
      },
    }));

  test("the delay that the platform asks for is kept", () =>
    assert.deepEqual(settled(retry(7000)), { ...base, status: "waiting", delayMs: 7000, error: "busy" }));

  test("a platform that asks for no wait, or for one that is none, is not asked again at once", () => {
    for (const afterMs of [0, -1, 0.3335, Number.NaN, -Infinity]) {
      let tries = 0;
      for (let waitedMs = 0; waitedMs < hour && tries < 100; tries++) {
        const next = settled(retry(afterMs), delivery({ attempts: tries + 1 }), { waitedMs, random: 0.5 });
        assert.equal(next.status, "waiting");
        waitedMs += next.delayMs;
      }
      assert.ok(tries < 15, `${afterMs}: ${tries} tries in an hour`);
    }
  });

  test("no platform has a delivery wait for more than an hour and a second", () => {
    for (const afterMs of [1e12, Infinity]) {
      const { status, delayMs } = settled(retry(afterMs), delivery(), { random: 1 });
      assert.deepEqual([status, delayMs], ["waiting", hour + 1000]);
    }
  });

  test("without one the delay grows with each attempt, up to an hour", () => {
    const delays = [1, 2, 5, 12, 13, 40].map(
      (attempts) => settled(retry(), delivery({ attempts }), { random: 1 }).delayMs,
    );
    assert.deepEqual(delays, [1000, 2000, 16_000, 2_048_000, hour, hour]);
    assert.equal(settled(retry(), delivery({ attempts: 12 }), { random: 0 }).delayMs, 500);
  });

  test("it is given up when the next attempt would come more than a day after it was made", () => {
    const waitedMs = 24 * hour - 7000;
    assert.equal(settled(retry(7000), delivery(), { waitedMs }).status, "waiting");
    const { status, error, notice } = settled(retry(7001), delivery(), { waitedMs });
    assert.deepEqual([status, error], ["failed", "given up after 24 hours: busy"]);
    assert.equal(
      notice && plainText(notice.text),
      "A reply could not be delivered on telegram: given up after 24 hours: busy",
    );
    assert.equal(settled(retry(7001), delivery({ uncertainSends: 1 }), { waitedMs }).status, "unknown");
  });

  test("a result is tried for three days, at the waits of Standard Webhooks, and then given up", () => {
    let waitedMs = 0;
    const waits: number[] = [];
    for (let attempts = 1; ; attempts++) {
      const of = delivery({ attempts, waitedMs });
      const next = settleSend(of, { sentMessages: 0, uncertainSends: 0, outcome: retry() }, callbackPolicy, {
        waitedMs,
        random: 0.999,
        newId: () => "notice",
        idempotent: true,
      });
      if (next.status !== "waiting") {
        assert.deepEqual([next.status, next.error], ["failed", "given up after 10 attempts: busy"]);
        break;
      }
      waits.push(Math.round(next.delayMs / 1000));
      waitedMs += next.delayMs;
    }
    assert.deepEqual(waits, [5, 300, 1799, 7196, 17_991, 35_982, 50_375, 71_964, 86_357]);
    assert.ok(waitedMs > 70 * hour && waitedMs < 80 * hour);
    const asked = settleSend(
      delivery(),
      { sentMessages: 0, uncertainSends: 0, outcome: retry(60_000) },
      callbackPolicy,
      { waitedMs: 0, random: 0, newId: () => "notice", idempotent: true },
    );
    assert.equal(asked.delayMs, 60_000);
  });

  test("without an answer it is tried once more, after half a minute to a minute, then it stays unknown, with a notice", () => {
    const first = settled(silence);
    assert.deepEqual(
      [first.status, first.delayMs, first.uncertainSends, first.notice],
      ["waiting", 30_000, 1, null],
    );
    const second = settled(silence, delivery({ attempts: 2, uncertainSends: first.uncertainSends }));
    assert.deepEqual([second.status, second.error], ["unknown", "it may have been sent: silence"]);
    assert.equal(
      second.notice && plainText(second.notice.text),
      "A reply may not have been delivered on telegram: it may have been sent: silence",
    );
  });

  test("uncertain sends of an earlier message do not count for a later one", () =>
    assert.equal(settled(silence, delivery({ uncertainSends: 1 }), { uncertainSends: 0 }).status, "waiting"));

  test("an unreachable platform in between does not make an earlier send certain", () => {
    const { status, uncertainSends } = settled(retry(), delivery({ uncertainSends: 1 }));
    assert.deepEqual([status, uncertainSends], ["waiting", 1]);
  });

  test("a platform that drops duplicates is tried again for a day", () => {
    const uncertain = delivery({ uncertainSends: 7 });
    const { status, uncertainSends, delayMs } = settled(silence, uncertain, { idempotent: true });
    assert.deepEqual([status, uncertainSends, delayMs], ["waiting", 8, 500]);
    assert.equal(settled(silence, uncertain, { idempotent: true, waitedMs: 24 * hour }).status, "unknown");
  });

  test("a message that was not sent because of the stop costs no attempt, and the count of sent ones is kept", () =>
    assert.deepEqual(settled({ kind: "stopped" }, delivery({ error: "before" })), {
      ...base,
      status: "waiting",
      countsAttempt: false,
      error: "before",
    }));
});

test("a delivery that cannot be tried has failed, with a notice", () => {
  const { status, error, sentMessages, notice } = settleUntried(
    delivery(),
    "no channel is configured",
    () => "notice",
  );
  assert.deepEqual([status, error, sentMessages], ["failed", "no channel is configured", 1]);
  assert.ok(notice);
});

test("a release costs no attempt", () =>
  assert.deepEqual(released(delivery({ error: "before", uncertainSends: 1 })), {
    ...base,
    sentMessages: 1,
    uncertainSends: 1,
    status: "waiting",
    countsAttempt: false,
    error: "before",
  }));

describe("with a fallback", () => {
  const configured = [
    { channel: "telegram", to: "5" },
    { channel: "slack", to: "C1" },
  ];
  const policy = { lastTarget: null, configured };
  const slack = delivery({ fallback: { channel: "slack", to: null } });
  const failed = settled({ kind: "rejected", reason: "no such chat" }, slack);
  const after = (of: ClaimedDelivery, settlement = failed, lastTarget: typeof policy.lastTarget = null) =>
    withFallback(of, settlement, { ...policy, lastTarget }, () => "other");

  test("a failed or uncertain delivery goes there with all of its text, and leaves no notice", () => {
    for (const [settlement, why] of [
      [failed, "no such chat"],
      [settled(silence, delivery({ uncertainSends: 1 })), "it may have been sent: silence"],
    ] as const) {
      const { notice, error, fallback, status } = after(slack, settlement);
      assert.deepEqual([status, notice], [settlement.status, null]);
      assert.equal(error, `${why} (goes to C1 on slack instead)`);
      assert.deepEqual(fallback, {
        id: "other",
        runId: "run",
        channel: "slack",
        to: "C1",
        text: "Done.",
        status: "waiting",
        error: null,
        fallback: null,
        trace: null,
      });
    }
  });

  test("a sent or waiting delivery does not", () => {
    for (const settlement of [settled({ kind: "sent" }), settled(retry())])
      assert.equal(after(slack, settlement), settlement);
  });

  test("without one, or with the same target, no second delivery is made", () => {
    assert.equal(after(delivery()), failed);
    assert.equal(after(delivery({ fallback: { channel: "telegram", to: null } })), failed);
    assert.equal(after(delivery({ fallback: { channel: "telegram", to: "6" } })).fallback?.to, "6");
  });

  test("one that does not resolve is named in the error, and the notice stays", () => {
    const { notice, error, fallback } = after(delivery({ fallback: { channel: "signal", to: null } }));
    assert.deepEqual([notice, fallback], [failed.notice, null]);
    assert.equal(
      error,
      "no such chat (no fallback: the channel signal is not configured; configured: telegram, slack)",
    );
  });
});
