import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SystemEvent } from "../core/system-event.ts";
import { isAcknowledgement } from "./acknowledgement.ts";
import { heartbeatPrompt, hookPrompt, longestBacklog } from "./prompt.ts";

const now = Date.UTC(2026, 0, 2, 3, 4, 5);
const event = (seq: number, text: string, hook: string | null = "wake"): SystemEvent => ({
  id: `event-${seq}`,
  sessionKey: "main",
  source: "wake",
  hook,
  text,
  seq,
  createdAt: now + seq,
  shownAt: null,
});

describe("the prompt of a heartbeat", () => {
  test("shows each event with its time and hook, oldest first", () => {
    const { prompt, shownEventIds, leftOver } = heartbeatPrompt(
      [event(1, "first"), event(2, "second", null)],
      now,
    );
    assert.ok(
      prompt.endsWith("[2026-01-02T03:04:05.001Z] hook wake\nfirst\n\n[2026-01-02T03:04:05.002Z]\nsecond"),
    );
    assert.deepEqual(shownEventIds, ["event-1", "event-2"]);
    assert.equal(leftOver, false);
  });

  test("asks for the token, says the time, and is no acknowledgement itself", () => {
    for (const events of [[], [event(1, "x")]]) {
      const { prompt } = heartbeatPrompt(events, now);
      assert.ok(prompt.includes("reply with exactly HEARTBEAT_OK"));
      assert.ok(prompt.includes("2026-01-02T03:04:05.000Z"));
      assert.equal(isAcknowledgement(prompt, { heartbeat: true }), false);
    }
  });

  test("begins with the agent's instructions", () => {
    assert.ok(heartbeatPrompt([], now, "Be kind.\n").prompt.startsWith("Be kind.\n\nThis is a heartbeat"));
  });

  test("what does not fit is left over, in order", () => {
    const events = [1, 2, 3, 4].map((seq) => event(seq, "x".repeat(40_000)));
    const { shownEventIds, leftOver, prompt } = heartbeatPrompt(events, now);
    assert.deepEqual(shownEventIds, ["event-1", "event-2"]);
    assert.equal(leftOver, true);
    assert.ok(prompt.length < longestBacklog + 1000);
  });

  test("a small event never overtakes a large one", () => {
    const events = [event(1, "x".repeat(60_000)), event(2, "x".repeat(60_000)), event(3, "small")];
    assert.deepEqual(heartbeatPrompt(events, now).shownEventIds, ["event-1"]);
  });

  test("an event longer than a turn is cut with a mark, and counts as shown", () => {
    const { prompt, shownEventIds, leftOver } = heartbeatPrompt(
      [event(1, "x".repeat(150_000)), event(2, "y")],
      now,
    );
    assert.deepEqual(shownEventIds, ["event-1"]);
    assert.equal(leftOver, true);
    assert.match(prompt, /x… \(cut: 1500\d\d characters in all\)$/);
    assert.ok(prompt.length < longestBacklog + 1000);
  });

  test("many small events come in several turns", () => {
    const events = Array.from({ length: 1001 }, (_, seq) => event(seq, ""));
    const { shownEventIds, leftOver } = heartbeatPrompt(events, now);
    assert.equal(shownEventIds.length, 1000);
    assert.equal(leftOver, true);
  });
});

describe("the prompt of a hook run", () => {
  const request = {
    message: " the\nmessage ",
    name: null,
    wakeMode: "now",
    deliver: true,
    channel: "last",
  } as const;
  const run = { request: { ...request, to: null, model: null, thinking: null, timeoutSeconds: null } };

  test("is exactly the message without instructions", () => {
    assert.equal(hookPrompt(run, null), " the\nmessage ");
    assert.equal(hookPrompt(run, "  "), " the\nmessage ");
  });

  test("has the agent's instructions first", () =>
    assert.equal(hookPrompt(run, "Be kind."), "Be kind.\n\n the\nmessage "));
});
