// What is kept of the attempts of a run.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { NewAttemptRecord } from "../../core/attempt-record.ts";
import type { ClaimedRun } from "../../core/run.ts";
import { aRun } from "../../../test/builders/run.ts";
import { anAttempt, aSettlement } from "../../../test/builders/settlement.ts";
import {
  acceptRuns,
  claim,
  claimHeartbeats,
  claimNext,
  leaseMs,
  startRun,
  type Harness,
} from "./harness.contract.ts";

const retry = { kind: "retry", delayMs: 1000, error: "busy" } as const;

export function attemptsContract(harness: () => Harness): void {
  const settle = (run: ClaimedRun, attempt: NewAttemptRecord | null, next = aSettlement().next) =>
    harness().store.settleRun(run, aSettlement({ next, attempt, workedMs: attempt?.workedMs ?? 0 }));

  describe("attempts", () => {
    test("each is kept with the settlement, oldest first, with times laid back from the store's own", async () => {
      const { store, clock } = harness();
      const run = aRun();
      await acceptRuns(store, run);
      const first = anAttempt({ outcome: "retry", reason: "busy\0", node: "a:1", workedMs: 40 });
      clock.advance(500);
      const endedAt = clock.now();
      assert.ok(await settle(await claimNext(store), first, { ...retry, error: "busy\0" }));
      clock.advance(1000);
      const toolCalls = [
        { name: "write\0", atMs: 1, tookMs: 2, ok: false, input: '{"a":1}', output: "no\0" },
        { name: "read", atMs: 4, tookMs: null, ok: null, input: null, output: null },
      ];
      const second = anAttempt({ number: 2, node: "b:1", workedMs: 70, toolCalls });
      assert.ok(await settle(await claimNext(store), second));
      assert.deepEqual(await store.listAttempts(run.id), [
        {
          runId: run.id,
          number: 1,
          node: "a:1",
          startedAt: endedAt - 40,
          endedAt,
          outcome: "retry",
          reason: "busy\0",
          nextTryAt: endedAt + 1000,
          toolCalls: [],
        },
        {
          runId: run.id,
          number: 2,
          node: "b:1",
          startedAt: clock.now() - 70,
          endedAt: clock.now(),
          outcome: "succeeded",
          reason: null,
          nextTryAt: null,
          toolCalls,
        },
      ]);
      assert.deepEqual(await store.listAttempts("another"), []);
    });

    test("a released one gives its number back, and the next one takes its place", async () => {
      const { store } = harness();
      const run = aRun();
      await acceptRuns(store, run);
      const outcomes = async () =>
        (await store.listAttempts(run.id)).map(({ number, node, outcome, nextTryAt }) => [
          number,
          node,
          outcome,
          nextTryAt,
        ]);
      const released = anAttempt({ node: "a:1", outcome: "released" });
      assert.ok(await settle(await claimNext(store), released, { kind: "released" }));
      assert.deepEqual(await outcomes(), [[1, "a:1", "released", null]]);
      const again = await claimNext(store);
      assert.equal(again.attempts, 1);
      assert.ok(await settle(again, anAttempt({ node: "b:1" })));
      assert.deepEqual(await outcomes(), [[1, "b:1", "succeeded", null]]);
    });

    test("one whose process died is missing, and none is kept without the lease or without a record", async () => {
      const { store, clock } = harness();
      const run = aRun();
      await acceptRuns(store, run);
      const dead = await claimNext(store);
      await startRun(store, dead);
      clock.advance(leaseMs);
      const [second] = (await claim(store, { lease: "next" })).claimed;
      assert.equal(second?.attempts, 2);
      assert.equal(await settle(dead, anAttempt()), false);
      assert.ok(await settle(second, null, { kind: "released" }));
      assert.deepEqual(await store.listAttempts(run.id), []);
      const [third] = (await claim(store, { lease: "third" })).claimed;
      assert.ok(await settle(third!, anAttempt({ number: 2, outcome: "failed", reason: "why" })));
      assert.deepEqual(
        (await store.listAttempts(run.id)).map(({ number, outcome }) => [number, outcome]),
        [[2, "failed"]],
      );
    });

    test("many that end at once are each kept, and so are those of heartbeats", async () => {
      const { store } = harness();
      const runs = [aRun(), aRun(), aRun()];
      await acceptRuns(store, ...runs);
      const { claimed } = await claim(store);
      await Promise.all(
        claimed.map((each, at) => settle(each, anAttempt({ node: `n:${at}`, workedMs: at }))),
      );
      for (const [at, { id }] of claimed.entries())
        assert.deepEqual(
          (await store.listAttempts(id)).map(({ node, startedAt, endedAt }) => [node, endedAt - startedAt]),
          [[`n:${at}`, at]],
        );
      await store.requestHeartbeat({ agentId: "main", delayMs: 0 });
      const [beat] = (await claimHeartbeats(store)).claimed;
      assert.ok(await settle(beat!, anAttempt()));
      assert.equal((await store.listAttempts(beat!.id)).length, 1);
    });
  });
}
