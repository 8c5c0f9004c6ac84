// The states of several runs, by their ids.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newId } from "../../core/id.ts";
import { aRun } from "../../../test/builders/run.ts";
import { aSettlement } from "../../../test/builders/settlement.ts";
import { acceptRuns, claimNext, startRun, type Harness } from "./harness.contract.ts";

export function runStatesContract(harness: () => Harness): void {
  describe("states of runs", () => {
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

    test("no ids, nothing", async () => {
      assert.deepEqual(await harness().store.runStates([]), []);
    });
  });
}
