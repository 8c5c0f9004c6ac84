// Paused hooks: what comes in is kept, and nothing of it starts until the hook is resumed.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { aHeartbeatRequest, anAcceptance, anEvent, aRequest } from "../../../test/builders/acceptance.ts";
import { aRun } from "../../../test/builders/run.ts";
import { aSettlement } from "../../../test/builders/settlement.ts";
import { newId } from "../../core/id.ts";
import { pausedError } from "../programs/paused.ts";
import { acceptRuns, claim, claimHeartbeats, claimNext, startRun, type Harness } from "./harness.contract.ts";

const budget = { runsPerDay: 2, tokensPerDay: 1_000_000, moneyPerDay: null };

export function pausedHooksContract(harness: () => Harness): void {
  describe("paused hooks", () => {
    const statuses = async (...ids: string[]): Promise<(string | undefined)[]> =>
      (await harness().store.findRuns(ids)).map(({ status }) => status);

    /** Claims all runs and starts each; the kinds of what happened, in their order. */
    const startAll = async (more: Parameters<typeof startRun>[2] = {}): Promise<string[]> => {
      const { store } = harness();
      const kinds: string[] = [];
      for (const claimed of (await claim(store)).claimed)
        kinds.push((await startRun(store, claimed, more)).kind);
      return kinds;
    };

    test("a hook is paused and resumed once, and the list says since when", async () => {
      const { store, clock } = harness();
      assert.deepEqual(await store.pausedHooks(), []);
      const pausedAt = clock.now();
      assert.equal(await store.pauseHook("github"), true);
      clock.advance(1000);
      assert.equal(await store.pauseHook("github"), false);
      assert.equal(await store.pauseHook("deploy"), true);
      assert.deepEqual(await store.pausedHooks(), [
        { hook: "deploy", pausedAt: pausedAt + 1000 },
        { hook: "github", pausedAt },
      ]);
      assert.equal(await store.resumeHook("github"), 0);
      assert.equal(await store.resumeHook("github"), 0);
      assert.deepEqual(
        (await store.pausedHooks()).map(({ hook }) => hook),
        ["deploy"],
      );
    });

    test("a pause in the middle of a backlog parks its runs as they start, and those of other hooks go on", async () => {
      const { store } = harness();
      const runs = ["github", "github", "agent", "github"].map((hook) => aRun({ hook }));
      await acceptRuns(store, ...runs);
      const first = await claimNext(store);
      assert.equal((await startRun(store, first)).kind, "go");
      await store.pauseHook("github");
      assert.deepEqual(await startAll(), ["parked", "go", "parked"]);
      const [, second, , fourth] = runs.map(({ id }) => id);
      const parked = await store.findRun(second!);
      assert.deepEqual([parked?.status, parked?.attempts, parked?.error], ["parked", 0, pausedError]);
      assert.deepEqual(await store.listTurns({ runId: second! }), [], "its agent was asked nothing");
      assert.deepEqual(await store.waitingEvents("main", 10), [], "no notice: an operator paused it");
      assert.deepEqual((await claim(store)).claimed, []);
      assert.equal(await store.settleRun(first, aSettlement()), true, "what runs goes on to its end");
      assert.equal(await store.resumeHook("github"), 2);
      assert.deepEqual(await statuses(second!, fourth!), ["queued", "queued"]);
      assert.equal((await store.findRun(second!))?.error, null);
      assert.deepEqual(await startAll(), ["go", "go"]);
    });

    test("requests of a paused hook are accepted and stored, also where they would start at once", async () => {
      const { store } = harness();
      await store.pauseHook("github");
      const [paused, other] = [aRun({ hook: "github" }), aRun()].map((run) => ({
        ...run,
        requestId: newId(),
      }));
      for (const run of [paused!, other!]) {
        const { id, hook, agentId, sessionKey, requestId } = run;
        const start = { id, lease: "mine", hook, agentId, sessionKey, isolated: true, historyCharacters: 0 };
        const accepted = await store.accept(
          anAcceptance({ hook, runs: [run], request: aRequest({ id: requestId, hook }) }),
          { start: { ...start, prompt: "do it", budget }, leaseMs: 1000 },
        );
        assert.equal(accepted.kind === "stored" && accepted.started !== undefined, hook === "agent");
      }
      await startAll();
      assert.deepEqual(await statuses(paused!.id, other!.id), ["parked", "running"]);
      assert.equal((await store.findRequest(paused!.requestId))?.outcome, "accepted");
      assert.equal(await store.resumeHook("github"), 1);
      assert.deepEqual(await startAll(), ["go"]);
    });

    test("resumed runs keep to their budget, and those that were over it stay parked", async () => {
      const { store } = harness();
      const runs = Array.from({ length: 4 }, () => aRun({ hook: "github" }));
      await acceptRuns(store, ...runs);
      for (const claimed of (await claim(store, { limit: 3 })).claimed)
        await startRun(store, claimed, { budget });
      await store.pauseHook("github");
      assert.deepEqual(await startAll({ budget }), ["parked"]);
      assert.equal(await store.resumeHook("github"), 1, "the one that was over its budget is not released");
      assert.deepEqual(await startAll({ budget }), ["parked"]);
      const last = await store.findRun(runs[3]!.id);
      assert.match(String(last?.error), /over its budget/);
    });

    test("a released run of a paused hook is parked again; a cancelled one is not let go", async () => {
      const { store } = harness();
      const runs = [aRun({ hook: "github" }), aRun({ hook: "github" })];
      await acceptRuns(store, ...runs);
      await store.pauseHook("github");
      await startAll();
      assert.equal(await store.releaseRuns({ id: null, hook: "github" }), 2);
      assert.deepEqual(await startAll(), ["parked", "parked"]);
      await store.cancelRun(runs[0]!.id, { error: "no", summary: null, heartbeat: null });
      assert.equal(await store.resumeHook("github"), 1);
    });

    test("the conversation of a parked run waits behind it, in order", async () => {
      const { store } = harness();
      const [first, second] = ["github", "agent"].map((hook) => aRun({ hook, sessionKey: "hook:talk" }));
      await acceptRuns(store, first!, second!);
      await store.pauseHook("github");
      assert.deepEqual(await startAll(), ["parked"]);
      assert.equal((await store.runBehind(second!.id))?.id, first!.id);
      await store.resumeHook("github");
      const claimed = await claimNext(store);
      assert.equal(claimed.id, first!.id);
    });

    test("a wake of a paused hook leaves its note and asks for no heartbeat", async () => {
      const { store } = harness();
      const heartbeat = aHeartbeatRequest();
      const wake = (hook: string, more: object = {}) =>
        store.accept(anAcceptance({ hook, events: [anEvent(hook, { hook })], heartbeat, ...more }));
      await store.pauseHook("wake");
      await wake("wake");
      await wake("wake", { idempotency: { key: "k", fingerprint: "f" } });
      assert.deepEqual((await claimHeartbeats(store)).claimed, []);
      assert.equal((await store.waitingEvents("main", 10)).length, 2);
      await Promise.all([wake("wake"), wake("other"), wake("wake")]);
      assert.equal((await claimHeartbeats(store)).claimed.length, 1, "another hook asks for one");
      assert.equal((await store.waitingEvents("main", 10)).length, 5);
    });

    test("heartbeats run, whatever hooks are paused", async () => {
      const { store } = harness();
      await store.pauseHook("heartbeat");
      await store.requestHeartbeat(aHeartbeatRequest());
      const { claimed } = await claimHeartbeats(store);
      assert.equal((await startRun(store, claimed[0]!)).kind, "go");
    });
  });
}
