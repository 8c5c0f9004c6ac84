// Claim on accept: runs are stored as claimed and started, with their prompts, and counted.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { NewRun } from "../../core/run.ts";
import type { FirstAttempt, AttemptStart } from "../../core/attempt.ts";
import { aHeartbeatRequest, anAcceptance, anEvent } from "../../../test/builders/acceptance.ts";
import { aRun, aRunRequest } from "../../../test/builders/run.ts";
import { aSettlement } from "../../../test/builders/settlement.ts";
import { claim, leaseMs, type Harness } from "./harness.contract.ts";

const hostile = "quote ' \" \\ NUL \0 lone \ud800 pair 😀 line\u2028 $1 ?1 {{x}}";
const plenty = { runsPerDay: 1000, tokensPerDay: 1000, moneyPerDay: null };

const firstAttempt = (
  { id, hook, agentId, sessionKey }: NewRun,
  parts: Partial<AttemptStart> = {},
): FirstAttempt => ({
  start: {
    id,
    lease: "mine",
    hook,
    agentId,
    sessionKey,
    isolated: true,
    historyCharacters: 0,
    prompt: "do it",
    budget: plenty,
    ...parts,
  },
  leaseMs,
});

export function firstAttemptsContract(harness: () => Harness): void {
  describe("first attempts", () => {
    test("an isolated run with a first attempt is stored as started", async () => {
      const { store, clock } = harness();
      const runs = [aRun({ request: aRunRequest({ message: [hostile] }) }), aRun(), aRun()];
      const accepted = await Promise.all(
        runs.map((each) =>
          store.accept(anAcceptance({ runs: [each] }), firstAttempt(each, { prompt: hostile })),
        ),
      );
      const running = { status: "running", attempts: 1, createdAt: clock.now(), startedAt: clock.now() };
      for (const [at, queued] of runs.entries()) {
        const stored = await store.findRun(queued.id);
        assert.deepEqual(stored, { ...stored, ...queued, ...running });
        const started = {
          ...stored,
          lease: "mine",
          elapsedMs: 0,
          waitedMs: 0,
          cancelRequested: false,
          acted: false,
        };
        assert.deepEqual(accepted[at], { kind: "stored", started });
        const [turn] = await store.listTurns(queued);
        assert.deepEqual([turn?.role, turn?.text, turn?.runId], ["user", hostile, queued.id]);
      }
      assert.equal((await store.listSpending())[0]?.runs, 3);
      assert.deepEqual((await claim(store)).claimed, []);
      assert.ok(await store.settleRun({ ...runs[0]!, lease: "mine" }, aSettlement()));
      clock.advance(leaseMs);
      const again = (await claim(store)).claimed;
      assert.deepEqual(
        again.map(({ id, attempts }) => ({ id, attempts })),
        runs.slice(1).map(({ id }) => ({ id, attempts: 2 })),
      );
      assert.equal(await store.settleRun({ ...runs[1]!, lease: "mine" }, aSettlement()), false);
      // Its prompt is stored once and the run counted once, however often it starts.
      const { start } = firstAttempt(runs[1]!, { prompt: "again" });
      assert.equal((await store.startRun({ ...start, lease: again[0]!.lease })).kind, "go");
      assert.deepEqual(
        (await store.listTurns(runs[1]!)).map(({ text }) => text),
        ["again"],
      );
      assert.equal((await store.listSpending())[0]?.runs, 3);
    });

    test("first attempts of several hooks share the budget they are counted under", async () => {
      const { store } = harness();
      const shared = { hook: "mapping any", budget: { ...plenty, runsPerDay: 2 } };
      const runs = ["a", "b", "c"].map((hook) => aRun({ hook }));
      for (const run of runs) await store.accept(anAcceptance({ runs: [run] }), firstAttempt(run, shared));
      const stored = await Promise.all(runs.map(({ id }) => store.findRun(id)));
      assert.deepEqual(
        stored.map((run) => [run?.hook, run?.status === "running"]),
        [
          ["a", true],
          ["b", true],
          ["c", false],
        ],
      );
      const spent = (await store.listSpending()).map(({ hook, runs: count }) => [hook, count]);
      assert.deepEqual(spent, [["mapping any", 2]]);
    });

    test("a first attempt over the budget is stored as queued", async () => {
      const { store } = harness();
      const budget = { runsPerDay: 2, tokensPerDay: 1000, moneyPerDay: null };
      const became: (string | undefined)[] = [];
      for (let count = 0; count < 3; count++) {
        const mine = aRun();
        await store.accept(anAcceptance({ runs: [mine] }), firstAttempt(mine, { budget }));
        const [waiting] = (await claim(store)).claimed;
        if (waiting) await store.startRun(firstAttempt(waiting, { budget, lease: waiting.lease }).start);
        became.push((await store.findRun(mine.id))?.status);
      }
      assert.deepEqual(became, ["running", "running", "parked"]);
      assert.equal((await store.listSpending())[0]?.runs, 2);
      const notices = (await store.listEvents({ limit: 10 })).filter(({ source }) => source === "notice");
      assert.equal(notices.length, 1);
    });

    test("any other acceptance with a first attempt is stored as queued", async () => {
      const { store } = harness();
      const others = [
        anAcceptance({ runs: [aRun({ sessionKey: "hook:a" })] }),
        anAcceptance({ runs: [aRun(), aRun()] }),
        anAcceptance({ runs: [aRun()], events: [anEvent()] }),
        anAcceptance({ runs: [aRun()], heartbeat: aHeartbeatRequest() }),
        anAcceptance({ runs: [aRun()], idempotency: { key: "k", fingerprint: "f" } }),
      ];
      for (const each of others)
        assert.deepEqual(await store.accept(each, firstAttempt(each.runs[0]!)), { kind: "stored" });
      assert.equal((await claim(store)).claimed.length, 6);
    });
  });
}
