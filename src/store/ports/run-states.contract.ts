// Several runs by their ids: whole, or only their states.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newId } from "../../core/id.ts";
import { aRun } from "../../../test/builders/run.ts";
import { aSettlement } from "../../../test/builders/settlement.ts";
import { acceptRuns, claimNext, startRun, type Harness } from "./harness.contract.ts";

export function runStatesContract(harness: () => Harness): void {
  describe("runs by their ids", () => {
    test("states are those of the runs that are there", async () => {
      const { store } = harness();
      const runs = [aRun(), aRun(), aRun()];
      await acceptRuns(store, ...runs);
      const ended = await claimNext(store);
      await startRun(store, ended);
      await store.settleRun(ended, aSettlement());
      await startRun(store, await claimNext(store));
      const states = await store.runStates([newId(), ...runs.map(({ id }) => id), "no id at all"]);
      const byId = new Map(states.map((state) => [state.id, state]));
      assert.deepEqual(
        runs.map(({ id }) => byId.get(id)),
        [
          { id: runs[0]!.id, status: "succeeded", attempts: 1 },
          { id: runs[1]!.id, status: "running", attempts: 1 },
          { id: runs[2]!.id, status: "queued", attempts: 0 },
        ],
      );
      assert.equal(states.length, 3);
    });

    test("runs are as `findRun` shows each", async () => {
      const { store } = harness();
      const runs = Array.from({ length: 5 }, () => aRun());
      await acceptRuns(store, ...runs);
      const ids = runs.map(({ id }) => id);
      const found = await store.findRuns([...ids, newId()]);
      assert.equal(found.length, 5);
      for (const run of found) assert.deepEqual(run, await store.findRun(run.id));
      assert.deepEqual(new Set(found.map(({ id }) => id)), new Set(ids));
    });

    test("no ids, nothing", async () => {
      const { store } = harness();
      assert.deepEqual([await store.findRuns([]), await store.runStates([])], [[], []]);
    });
  });
}
