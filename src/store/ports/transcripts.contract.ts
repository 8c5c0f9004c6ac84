// Transcripts and budgets.
import assert from "node:assert/strict";
import { unfinishedRuns } from "../../core/backlog.ts";
import { describe, test } from "node:test";
import { plainText } from "../../core/message.ts";
import type { ClaimedRun } from "../../core/run.ts";
import type { Budget } from "../../core/spending.ts";
import { noHistory } from "../../core/transcript.ts";
import type { AttemptStart } from "../../core/attempt.ts";
import type { TurnEnding } from "../../core/settlement.ts";
import type { Store } from "./store.ts";
import { aRun } from "../../../test/builders/run.ts";
import { aSettlement } from "../../../test/builders/settlement.ts";
import { acceptRuns, claim, type Harness, leaseMs } from "./harness.contract.ts";

const day = 86_400_000;
const wide: Budget = { runsPerDay: 100, tokensPerDay: 1_000_000, moneyPerDay: null };

const begin = (
  store: Store,
  { id, lease, hook, agentId, sessionKey, isolated }: ClaimedRun,
  more: object = {},
) =>
  store.startRun({
    id,
    lease,
    hook,
    agentId,
    sessionKey,
    isolated,
    historyCharacters: 1_000_000,
    prompt: `told ${sessionKey}`,
    budget: null,
    ...more,
  });

const ending = ({ agentId, sessionKey }: ClaimedRun, more: Partial<TurnEnding> = {}): TurnEnding => ({
  agentId,
  sessionKey,
  text: "answered",
  foreignSession: null,
  carried: true,
  ...more,
});

async function next(store: Store): Promise<ClaimedRun> {
  const { claimed } = await claim(store, { limit: 1 });
  assert.ok(claimed[0]);
  return claimed[0];
}

/** One whole turn under a session key. */
async function takeTurn(
  store: Store,
  key: string,
  more: Partial<TurnEnding> = {},
  start: Partial<AttemptStart> = {},
) {
  await acceptRuns(store, aRun({ sessionKey: key }));
  const claimed = await next(store);
  const started = await begin(store, claimed, start);
  assert.ok(await store.settleRun(claimed, aSettlement({ ending: ending(claimed, more) })));
  assert.ok(started.kind === "go");
  return { ...started, history: started.history.turns, hasOlder: started.history.hasOlder };
}

const textsOf = (turns: readonly { role: string; text: string }[]) =>
  turns.map(({ role, text }) => `${role}: ${text}`);

export function transcripts(harness: () => Harness): void {
  describe("transcripts", () => {
    test("a later run with the same key continues what was said", async () => {
      const { store } = harness();
      assert.deepEqual((await takeTurn(store, "k", { foreignSession: "theirs" })).history, []);
      const second = await takeTurn(store, "k", {}, { prompt: "again" });
      assert.deepEqual(textsOf(second.history), ["user: told k", "assistant: answered"]);
      assert.equal(second.foreignSession, "theirs");
      const third = await takeTurn(store, "k");
      assert.equal(third.history.length, 4);
      assert.equal(third.foreignSession, "theirs", "kept until there is another");
      assert.deepEqual((await takeTurn(store, "other")).history, []);
    });

    test("isolated turns are written down and carried nowhere", async () => {
      const { store } = harness();
      await acceptRuns(store, aRun(), aRun());
      for (let count = 0; count < 2; count++) {
        const claimed = await next(store);
        const started = await begin(store, claimed, { sessionKey: "shared" });
        assert.deepEqual(started, { kind: "go", history: noHistory, foreignSession: null });
        await store.settleRun(claimed, aSettlement({ ending: ending(claimed, { sessionKey: "shared" }) }));
        assert.deepEqual(textsOf(await store.listTurns({ runId: claimed.id })), [
          `user: told ${claimed.sessionKey}`,
          "assistant: answered",
        ]);
      }
      assert.equal((await store.listTurns({ agentId: "main", sessionKey: "shared" })).length, 4);
    });

    test("an attempt that is made again says nothing twice", async () => {
      const { store, clock } = harness();
      await acceptRuns(store, aRun({ sessionKey: "k" }));
      const first = await next(store);
      await begin(store, first);
      await store.settleRun(
        first,
        aSettlement({ next: { kind: "retry", delayMs: 10, error: "busy" }, summary: null }),
      );
      clock.advance(10);
      const second = await next(store);
      const started = await begin(store, second, { prompt: "told again" });
      assert.deepEqual(started, { kind: "go", history: noHistory, foreignSession: null });
      await store.settleRun(second, aSettlement({ ending: ending(second) }));
      assert.deepEqual(textsOf(await store.listTurns({ runId: first.id })), [
        "user: told again",
        "assistant: answered",
      ]);
    });

    test("whoever lost the lease begins nothing and changes nothing", async () => {
      const { store } = harness();
      await acceptRuns(store, aRun());
      const claimed = await next(store);
      const stranger = { ...claimed, lease: "another" };
      assert.deepEqual(await begin(store, stranger), { kind: "lost" });
      assert.equal(await store.markActed(stranger), false);
      assert.deepEqual(await store.listTurns({ runId: claimed.id }), []);
    });

    test("a turn that is not carried stays in the record", async () => {
      const { store } = harness();
      await takeTurn(store, "k", { carried: false });
      assert.deepEqual((await takeTurn(store, "k")).history, []);
      assert.equal((await store.listTurns({ agentId: "main", sessionKey: "k" })).length, 4);
    });

    test("a summary stands for what it sums up, and the record keeps all of it", async () => {
      const { store } = harness();
      await takeTurn(store, "k");
      await takeTurn(store, "k");
      const { history } = await takeTurn(store, "k");
      await store.compact({ agentId: "main", sessionKey: "k", upTo: history[3]!.seq, summary: "in short" });
      const carried = (await takeTurn(store, "k")).history;
      assert.deepEqual(textsOf(carried), ["summary: in short", "user: told k", "assistant: answered"]);
      const upTo = carried[2]!.seq;
      await store.compact({ agentId: "main", sessionKey: "k", upTo, summary: "shorter" });
      assert.deepEqual(textsOf((await takeTurn(store, "k")).history), [
        "summary: shorter",
        "user: told k",
        "assistant: answered",
      ]);
      const all = await store.listTurns({ agentId: "main", sessionKey: "k" });
      assert.equal(all.length, 12);
      assert.equal(all.filter(({ compacted }) => compacted).length, 7);
    });

    test("of a very long conversation the newest turns are read, and that there are older ones is said", async () => {
      const { store } = harness();
      const prompt = "x".repeat(1000);
      for (let turn = 0; turn < 4; turn++) await takeTurn(store, "k", { text: `${turn}` }, { prompt });
      const read = async (historyCharacters: number) => {
        const { history, hasOlder } = await takeTurn(store, "k", { carried: false }, { historyCharacters });
        return [history.map(({ role, text }) => (role === "user" ? role : text)), hasOlder];
      };
      const all = ["user", "0", "user", "1", "user", "2", "user", "3"];
      assert.deepEqual(await read(100_000), [all, false]);
      assert.deepEqual(await read(3000), [all.slice(2), true]);
      assert.deepEqual(await read(1500), [["user", "2", "user", "3"], true]);
      assert.deepEqual(await read(1), [["3"], true]);
      assert.deepEqual(await read(0), [[], false], "nothing was asked for");
    });

    test("turns that are not carried lie between others and are passed over", async () => {
      const { store } = harness();
      await takeTurn(store, "k", { text: "first" });
      for (let turn = 0; turn < 5; turn++) await takeTurn(store, "k", { carried: false });
      await takeTurn(store, "k", { text: "last" });
      assert.deepEqual(
        (await takeTurn(store, "k")).history.map(({ text }) => text),
        ["told k", "first", "told k", "last"],
      );
    });

    test("sessions are listed, last used first, and can begin anew", async () => {
      const { store, clock } = harness();
      await takeTurn(store, "one", { foreignSession: "theirs" });
      clock.advance(1000);
      await takeTurn(store, "two");
      const sessions = await store.listSessions(10);
      assert.deepEqual(
        sessions.map(({ sessionKey, turns, foreignSession }) => [sessionKey, turns, foreignSession]),
        [
          ["two", 2, null],
          ["one", 2, "theirs"],
        ],
      );
      assert.equal((await store.listSessions(1)).length, 1);
      assert.equal(await store.resetSession({ agentId: "main", sessionKey: "one" }), true);
      assert.equal(await store.resetSession({ agentId: "main", sessionKey: "none" }), false);
      const started = await takeTurn(store, "one");
      assert.deepEqual([started.history, started.foreignSession], [[], null]);
      assert.equal((await store.listTurns({ agentId: "main", sessionKey: "one" })).length, 4);
    });

    test("that something was changed is known to the next attempt", async () => {
      const { store, clock } = harness();
      await acceptRuns(store, aRun());
      const first = await next(store);
      assert.equal(first.acted, false);
      assert.equal(await store.markActed(first), true);
      await store.settleRun(first, aSettlement({ next: { kind: "released" } }));
      clock.advance(1);
      assert.equal((await next(store)).acted, true);
    });

    test("retention removes isolated turns, and conversations that are no longer used", async () => {
      const { store, clock } = harness();
      await takeTurn(store, "used");
      await takeTurn(store, "unused");
      await acceptRuns(store, aRun());
      const isolated = await next(store);
      await begin(store, isolated, { sessionKey: "used" });
      await store.settleRun(isolated, aSettlement({ ending: ending(isolated) }));
      clock.advance(31 * day);
      await takeTurn(store, "used");
      const retention = { finishedMs: 30 * day, requestsMs: day, idempotencyMs: day };
      while ((await store.sweep(retention, 2)) > 0);
      assert.equal((await store.listTurns({ agentId: "main", sessionKey: "used" })).length, 4);
      assert.deepEqual(await store.listTurns({ agentId: "main", sessionKey: "unused" }), []);
      assert.deepEqual(
        (await store.listSessions(10)).map(({ sessionKey }) => sessionKey),
        ["used"],
      );
    });
  });

  describe("budgets", () => {
    test("over the limit a run is parked at no cost, and the main session hears of it once a day", async () => {
      const { store, clock } = harness();
      const budget = { ...wide, runsPerDay: 1 };
      await acceptRuns(store, aRun(), aRun(), aRun());
      const first = await next(store);
      assert.equal((await begin(store, first, { budget })).kind, "go");
      await store.settleRun(first, aSettlement());
      for (const claimed of (await claim(store)).claimed) {
        const started = await begin(store, claimed, { budget });
        assert.ok(started.kind === "parked" && started.reason.includes("1 runs a day"));
        const parked = await store.findRun(claimed.id);
        assert.deepEqual([parked?.status, parked?.attempts], ["parked", 0]);
        assert.deepEqual(await store.listTurns({ runId: claimed.id }), []);
      }
      assert.deepEqual((await claim(store)).claimed, []);
      const events = await store.waitingEvents("main", 10);
      assert.equal(events.length, 1);
      assert.match(plainText(events[0]!.text), /agent.*parked/);
      assert.equal(unfinishedRuns(await store.backlog()), 2);
      clock.advance(day);
      const tomorrow = await next(store);
      assert.equal((await begin(store, tomorrow, { budget })).kind, "go");
    });

    test("a run that began is not counted again, and its tokens count when it ends", async () => {
      const { store, clock } = harness();
      const budget = { ...wide, runsPerDay: 1, tokensPerDay: 50 };
      await acceptRuns(store, aRun(), aRun());
      const first = await next(store);
      assert.equal((await begin(store, first, { budget })).kind, "go");
      const used = { inputTokens: 10, outputTokens: 5, cost: 0.5 };
      await store.settleRun(
        first,
        aSettlement({ next: { kind: "retry", delayMs: 1, error: "busy" }, used, summary: null }),
      );
      clock.advance(1);
      const again = (await claim(store)).claimed.find(({ id }) => id === first.id);
      assert.equal((await begin(store, again!, { budget })).kind, "go");
      await store.settleRun(again!, aSettlement({ used }));
      assert.deepEqual(
        (await store.listSpending()).map(({ runs, inputTokens, outputTokens, cost }) => [
          runs,
          inputTokens,
          outputTokens,
          cost,
        ]),
        [[1, 20, 10, 1]],
      );
    });

    test("a run that a stopping node gave back is counted once; one that crashed before it began is counted too", async () => {
      const { store, clock } = harness();
      const counted = async () => (await store.listSpending()).map(({ runs }) => runs);
      await acceptRuns(store, aRun());
      const first = await next(store);
      await begin(store, first, { budget: wide });
      await store.settleRun(first, aSettlement({ next: { kind: "released" }, summary: null }));
      const again = await next(store);
      assert.deepEqual([again.id, again.attempts], [first.id, 1]);
      await begin(store, again, { budget: wide });
      assert.deepEqual(await counted(), [1]);
      await store.settleRun(again, aSettlement());

      await acceptRuns(store, aRun());
      await next(store);
      clock.advance(leaseMs + 1);
      const second = await next(store);
      assert.equal(second.attempts, 2);
      await begin(store, second, { budget: wide });
      assert.deepEqual(await counted(), [2]);
    });

    test("tokens and money have limits too", async () => {
      const { store } = harness();
      await acceptRuns(store, aRun(), aRun());
      const first = await next(store);
      await begin(store, first, { budget: wide });
      await store.settleRun(first, aSettlement({ used: { inputTokens: 60, outputTokens: 40, cost: 2 } }));
      const second = await next(store);
      const byTokens = await begin(store, second, { budget: { ...wide, tokensPerDay: 100 } });
      assert.ok(byTokens.kind === "parked" && byTokens.reason.includes("100 tokens"));
      assert.equal(await store.releaseRuns({ id: second.id, hook: null }), 1);
      const released = await next(store);
      const byMoney = { ...wide, moneyPerDay: 1 };
      assert.equal((await begin(store, released, { budget: byMoney })).kind, "go", "released runs may go");
    });

    test("parked runs are released one by one, by hook, or all; a parked run can be cancelled", async () => {
      const { store } = harness();
      const budget = { ...wide, runsPerDay: 0 };
      await acceptRuns(store, aRun(), aRun(), aRun({ hook: "other" }), aRun());
      const claimed = (await claim(store)).claimed;
      for (const each of claimed) assert.equal((await begin(store, each, { budget })).kind, "parked");
      assert.equal(await store.releaseRuns({ id: "unknown", hook: null }), 0);
      assert.equal(await store.releaseRuns({ id: claimed[0]!.id, hook: null }), 1);
      assert.equal(await store.releaseRuns({ id: null, hook: "other" }), 1);
      const ended = { error: "it was cancelled", summary: null, heartbeat: null };
      assert.equal(await store.cancelRun(claimed[1]!.id, ended), "cancelled");
      assert.equal(await store.releaseRuns({ id: null, hook: null }), 1);
      assert.equal((await claim(store)).claimed.length, 3);
    });

    test("a parked run keeps its place in its lane", async () => {
      const { store } = harness();
      await acceptRuns(store, aRun({ sessionKey: "k" }), aRun({ sessionKey: "k" }));
      const first = await next(store);
      await begin(store, first, { budget: { ...wide, runsPerDay: 0 } });
      assert.deepEqual((await claim(store)).claimed, []);
      await store.releaseRuns({ id: null, hook: null });
      assert.equal((await next(store)).id, first.id);
    });
  });
}
