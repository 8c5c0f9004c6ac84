import assert from "node:assert/strict";
import { test } from "node:test";
import { failed, policy, recorded, replied, run, settled } from "../../test/builders/attempt.ts";
import { settle } from "./settle.ts";

const toolCalls = [{ name: "read", atMs: 2, tookMs: 3, ok: true, input: null, output: null }];
const newId = () => "id";

test("every end of an attempt is recorded, with its number, its reason and its tools", () => {
  const of = run({ attempts: 2 });
  for (const [outcome, expected] of [
    [replied(), { outcome: "succeeded" }],
    [failed(true), { outcome: "retry", reason: "why" }],
    [failed(false), { outcome: "failed", reason: "why" }],
    [replied(" "), { outcome: "failed", reason: "the agent gave no reply" }],
    [
      { kind: "timed-out", afterSeconds: 2 },
      { outcome: "timed-out", reason: "no reply within 2 seconds" },
    ],
    [{ kind: "cancelled" }, { outcome: "cancelled", reason: "it was cancelled" }],
  ] as const)
    assert.deepEqual(
      settled(outcome, { of, more: { toolCalls } }).attempt,
      recorded({ number: 2, toolCalls, ...expected }),
    );
});

test("an attempt that ended before its agent was called is recorded, too", () =>
  assert.deepEqual(
    settled({ kind: "cancelled" }, { more: { agentCalled: false } }).attempt,
    recorded({ outcome: "cancelled", reason: "it was cancelled" }),
  ));

test("a released attempt is recorded only when its agent was called, and its time does not count", () => {
  const released = (agentCalled: boolean) =>
    settle(run(), { kind: "released", agentCalled, workedMs: 9, toolCalls }, policy, newId);
  assert.deepEqual(released(true).attempt, recorded({ outcome: "released", workedMs: 9, toolCalls }));
  assert.equal(released(true).workedMs, 0);
  assert.equal(released(false).attempt, null);
});
