import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Outcome } from "../core/outcome.ts";
import {
  failed,
  nothingReported,
  policy,
  recorded,
  replied,
  run,
  settled,
  signals,
} from "../../test/builders/attempt.ts";

describe("a heartbeat", () => {
  const beat = run(
    { kind: "heartbeat", agentId: "main", sessionKey: "main", isolated: false },
    { wakeMode: "now" },
  );
  const more = { shownEventIds: ["e1", "e2"] };

  test("that acknowledged has shown its events, and nothing else follows", () => {
    for (const reply of ["HEARTBEAT_OK", "HEARTBEAT_OK Nothing new."]) {
      assert.deepEqual(settled(replied(reply), { of: beat, more }), {
        next: { kind: "ended", status: "succeeded", reply, error: null },
        workedMs: 7,
        signals,
        report: nothingReported,
        used: null,
        ending: { agentId: "main", sessionKey: "main", text: reply, foreignSession: null, carried: true },
        summary: null,
        delivery: null,
        callback: null,
        heartbeat: null,
        shownEventIds: ["e1", "e2"],
        attempt: recorded(),
      });
    }
  });

  test("that showed no events and only acknowledged is not carried in the conversation", () => {
    assert.equal(settled(replied("HEARTBEAT_OK"), { of: beat }).ending?.carried, false);
    assert.equal(settled(replied("Look!"), { of: beat }).ending?.carried, true);
  });

  test("sends any other reply to the main session's last recipient", () => {
    const { delivery, summary } = settled(replied("Look!"), { of: beat });
    assert.deepEqual([delivery?.channel, delivery?.to, delivery?.status], ["telegram", "5", "waiting"]);
    assert.equal(summary, null);
  });

  test("sends nothing when there is no last recipient", () => {
    const by = { ...policy, lastTarget: null, configured: [{ channel: "telegram", to: "9" }] };
    assert.equal(settled(replied("Look!"), { of: beat, by }).delivery, null);
  });

  test("records that the last recipient's channel is gone", () => {
    const { delivery } = settled(replied("Look!"), { of: beat, by: { ...policy, configured: [] } });
    assert.deepEqual(
      [delivery?.status, delivery?.error],
      ["failed", "the channel telegram is not configured, and no other is"],
    );
  });

  test("with events left over is followed by another at once", () =>
    assert.deepEqual(settled(replied("HEARTBEAT_OK"), { of: beat, more: { leftOver: true } }).heartbeat, {
      agentId: "main",
      delayMs: 0,
    }));

  for (const outcome of [
    failed(false),
    { kind: "timed-out", afterSeconds: 2 },
    { kind: "cancelled" },
    replied(" "),
  ] satisfies Outcome[])
    test(`that ends as ${outcome.kind} keeps its events, and nothing follows`, () => {
      const { shownEventIds, summary, delivery, heartbeat, next } = settled(outcome, {
        of: beat,
        more: { ...more, leftOver: true },
      });
      assert.equal(next.kind, "ended");
      assert.deepEqual([shownEventIds, summary, delivery, heartbeat], [[], null, null, null]);
    });

  test("that may pass is retried and keeps its events", () => {
    const { next, shownEventIds } = settled(failed(true), { of: beat, more });
    assert.equal(next.kind, "retry");
    assert.deepEqual(shownEventIds, []);
  });

  test("waits at most a minute for its next try, unless its agent asks for more", () => {
    const by = { ...policy, random: 1, maxAttempts: 20 };
    const waitOf = (outcome: Outcome, attempts: number) => {
      const { next } = settled(outcome, { of: { ...beat, attempts }, by });
      return next.kind === "retry" ? next.delayMs : null;
    };
    const waits = [1, 2, 3, 4, 9].map((attempts) => waitOf(failed(true), attempts));
    assert.deepEqual(waits, [4000, 12_000, 36_000, 60_000, 60_000]);
    const busy = { kind: "failed", reason: "busy", mayPass: true, retryAfterMs: 90_000 } as const;
    assert.equal(waitOf(busy, 1), 91_000);
  });
});
