// Retention: which turns of a conversation in use are removed.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { aRun } from "../../../test/builders/run.ts";
import { aSettlement } from "../../../test/builders/settlement.ts";
import { compact, acceptRuns, claimNext, type Harness, startRun } from "./harness.contract.ts";
import type { Store } from "./store.ts";

const day = 86_400_000;
const retention = { finishedMs: 30 * day, requestsMs: day, idempotencyMs: day, conversationTurns: 5 };

const turnsOf = (store: Store, sessionKey: string) => store.listTurns({ agentId: "main", sessionKey });

async function converse(store: Store, sessionKey: string, carried = true): Promise<void> {
  await acceptRuns(store, aRun({ sessionKey }));
  const run = await claimNext(store);
  await startRun(store, run);
  const ending = { agentId: run.agentId, sessionKey, text: "reply", foreignSession: null, carried };
  assert.ok(await store.settleRun(run, aSettlement({ ending })));
}

async function sweepAll(store: Store, conversationTurns: number): Promise<void> {
  while ((await store.sweep({ ...retention, conversationTurns }, 2)) > 0);
}

export function sweepContract(harness: () => Harness): void {
  describe("retention of a conversation in use", () => {
    test("old turns go once they are summed up, or were never carried", async () => {
      const { store, clock } = harness();
      await converse(store, "summed up");
      await converse(store, "left out", false);
      const upTo = (await turnsOf(store, "summed up")).at(-1)!.seq;
      await compact(store, { agentId: "main", sessionKey: "summed up", upTo, summary: "in short" });
      clock.advance(31 * day);
      await converse(store, "summed up");
      await converse(store, "left out");
      await sweepAll(store, 10);
      const roles = (await turnsOf(store, "summed up")).map(({ role }) => role);
      assert.deepEqual(roles, ["summary", "user", "assistant"]);
      assert.equal((await turnsOf(store, "left out")).length, 2);
    });

    test("old turns beyond those that can be carried go, and no others", async () => {
      const { store, clock } = harness();
      for (let count = 0; count < 4; count++) await converse(store, "long");
      await converse(store, "short");
      clock.advance(31 * day);
      await converse(store, "long");
      await converse(store, "short");
      const before = await turnsOf(store, "long");
      assert.equal(before.length, 10);
      await sweepAll(store, 5);
      assert.deepEqual(await turnsOf(store, "long"), before.slice(-5), "two of them are old");
      assert.equal((await turnsOf(store, "short")).length, 4);
      await sweepAll(store, 1);
      assert.deepEqual(await turnsOf(store, "long"), before.slice(-2), "the newest two are not old");
    });
  });
}
