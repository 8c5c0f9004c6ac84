// Transcripts: what later runs of a conversation get, and what stays in the list.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ClaimedRun } from "../../core/run.ts";
import { noHistory } from "../../core/transcript.ts";
import type { AttemptStart } from "../../core/attempt.ts";
import type { TurnEnding } from "../../core/settlement.ts";
import type { Store } from "./store.ts";
import { aRun } from "../../../test/builders/run.ts";
import { aSettlement } from "../../../test/builders/settlement.ts";
import { compact, acceptRuns, claimNext, startRun, type Harness } from "./harness.contract.ts";

const day = 86_400_000;

const ending = ({ agentId, sessionKey }: ClaimedRun, more: Partial<TurnEnding> = {}): TurnEnding => ({
  agentId,
  sessionKey,
  text: "answered",
  foreignSession: null,
  carried: true,
  ...more,
});

/** Executes one run of a session, from its acceptance to its end. */
async function converse(
  store: Store,
  key: string,
  more: Partial<TurnEnding> = {},
  start: Partial<AttemptStart> = {},
) {
  await acceptRuns(store, aRun({ sessionKey: key }));
  const claimed = await claimNext(store);
  const started = await startRun(store, claimed, start);
  assert.ok(await store.settleRun(claimed, aSettlement({ ending: ending(claimed, more) })));
  assert.ok(started.kind === "go");
  return { ...started, history: started.history.turns, hasOlder: started.history.hasOlder };
}

const textsOf = (turns: readonly { role: string; text: string }[]) =>
  turns.map(({ role, text }) => `${role}: ${text}`);

export function transcriptsContract(harness: () => Harness): void {
  describe("transcripts", () => {
    test("a later run with the same key gets the earlier turns", async () => {
      const { store } = harness();
      assert.deepEqual((await converse(store, "k", { foreignSession: "theirs" })).history, []);
      const second = await converse(store, "k", {}, { prompt: "again" });
      assert.deepEqual(textsOf(second.history), ["user: do k", "assistant: answered"]);
      assert.equal(second.foreignSession, "theirs");
      const third = await converse(store, "k");
      assert.equal(third.history.length, 4);
      assert.equal(third.foreignSession, "theirs", "kept until there is another");
      assert.deepEqual((await converse(store, "other")).history, []);
    });

    test("isolated turns are stored, and no other run gets them", async () => {
      const { store } = harness();
      await acceptRuns(store, aRun(), aRun());
      for (let count = 0; count < 2; count++) {
        const claimed = await claimNext(store);
        const started = await startRun(store, claimed, { sessionKey: "shared" });
        assert.deepEqual(started, { kind: "go", history: noHistory, foreignSession: null });
        await store.settleRun(claimed, aSettlement({ ending: ending(claimed, { sessionKey: "shared" }) }));
        assert.deepEqual(textsOf(await store.listTurns({ runId: claimed.id })), [
          `user: do ${claimed.sessionKey}`,
          "assistant: answered",
        ]);
      }
      assert.equal((await store.listTurns({ agentId: "main", sessionKey: "shared" })).length, 4);
    });

    test("a second attempt replaces the turns of the first", async () => {
      const { store, clock } = harness();
      await acceptRuns(store, aRun({ sessionKey: "k" }));
      const first = await claimNext(store);
      await startRun(store, first);
      await store.settleRun(
        first,
        aSettlement({ next: { kind: "retry", delayMs: 10, error: "busy" }, summary: null }),
      );
      clock.advance(10);
      const second = await claimNext(store);
      const started = await startRun(store, second, { prompt: "do it again" });
      assert.deepEqual(started, { kind: "go", history: noHistory, foreignSession: null });
      await store.settleRun(second, aSettlement({ ending: ending(second) }));
      assert.deepEqual(textsOf(await store.listTurns({ runId: first.id })), [
        "user: do it again",
        "assistant: answered",
      ]);
    });

    test("without the lease nothing is started and nothing changed", async () => {
      const { store } = harness();
      await acceptRuns(store, aRun());
      const claimed = await claimNext(store);
      const withoutLease = { ...claimed, lease: "another" };
      assert.deepEqual(await startRun(store, withoutLease), { kind: "lost" });
      assert.equal(await store.markActed(withoutLease), false);
      assert.deepEqual(await store.listTurns({ runId: claimed.id }), []);
    });

    test("a turn that is not carried stays in the list", async () => {
      const { store } = harness();
      await converse(store, "k", { carried: false });
      assert.deepEqual((await converse(store, "k")).history, []);
      assert.equal((await store.listTurns({ agentId: "main", sessionKey: "k" })).length, 4);
    });

    test("a summary replaces earlier turns for later runs, and the list keeps them", async () => {
      const { store } = harness();
      await converse(store, "k");
      await converse(store, "k");
      const { history } = await converse(store, "k");
      await compact(store, { agentId: "main", sessionKey: "k", upTo: history[3]!.seq, summary: "in short" });
      const carried = (await converse(store, "k")).history;
      assert.deepEqual(textsOf(carried), ["summary: in short", "user: do k", "assistant: answered"]);
      const upTo = carried[2]!.seq;
      await compact(store, { agentId: "main", sessionKey: "k", upTo, summary: "shorter" });
      assert.deepEqual(textsOf((await converse(store, "k")).history), [
        "summary: shorter",
        "user: do k",
        "assistant: answered",
      ]);
      const all = await store.listTurns({ agentId: "main", sessionKey: "k" });
      assert.equal(all.length, 12);
      assert.equal(all.filter(({ compacted }) => compacted).length, 7);
    });

    test("of a very long conversation the newest turns are read, and `hasOlder` is set", async () => {
      const { store } = harness();
      const prompt = "x".repeat(1000);
      for (let turn = 0; turn < 4; turn++) await converse(store, "k", { text: `${turn}` }, { prompt });
      const read = async (historyCharacters: number) => {
        const { history, hasOlder } = await converse(store, "k", { carried: false }, { historyCharacters });
        return [history.map(({ role, text }) => (role === "user" ? role : text)), hasOlder];
      };
      const all = ["user", "0", "user", "1", "user", "2", "user", "3"];
      assert.deepEqual(await read(100_000), [all, false]);
      assert.deepEqual(await read(3000), [all.slice(2), true]);
      assert.deepEqual(await read(1500), [["user", "2", "user", "3"], true]);
      assert.deepEqual(await read(1), [["3"], true]);
      assert.deepEqual(await read(0), [[], false], "nothing was asked for");
    });

    test("turns that are not carried are skipped between others", async () => {
      const { store } = harness();
      await converse(store, "k", { text: "first" });
      for (let turn = 0; turn < 5; turn++) await converse(store, "k", { carried: false });
      await converse(store, "k", { text: "last" });
      assert.deepEqual(
        (await converse(store, "k")).history.map(({ text }) => text),
        ["do k", "first", "do k", "last"],
      );
    });

    test("sessions are listed, last used first, and can be reset", async () => {
      const { store, clock } = harness();
      await converse(store, "one", { foreignSession: "theirs" });
      clock.advance(1000);
      await converse(store, "two");
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
      const started = await converse(store, "one");
      assert.deepEqual([started.history, started.foreignSession], [[], null]);
      assert.equal((await store.listTurns({ agentId: "main", sessionKey: "one" })).length, 4);
    });

    test("the next attempt knows that a tool has changed something", async () => {
      const { store, clock } = harness();
      await acceptRuns(store, aRun());
      const first = await claimNext(store);
      assert.equal(first.acted, false);
      assert.equal(await store.markActed(first), true);
      await store.settleRun(first, aSettlement({ next: { kind: "released" } }));
      clock.advance(1);
      assert.equal((await claimNext(store)).acted, true);
    });

    test("retention removes isolated turns and unused conversations", async () => {
      const { store, clock } = harness();
      await converse(store, "used");
      await converse(store, "unused");
      await acceptRuns(store, aRun());
      const isolated = await claimNext(store);
      await startRun(store, isolated, { sessionKey: "used" });
      await store.settleRun(isolated, aSettlement({ ending: ending(isolated) }));
      clock.advance(31 * day);
      await converse(store, "used");
      const retention = { finishedMs: 30 * day, requestsMs: day, idempotencyMs: day, conversationTurns: 10 };
      while ((await store.sweep(retention, 2)) > 0);
      assert.equal((await store.listTurns({ agentId: "main", sessionKey: "used" })).length, 4);
      assert.deepEqual(await store.listTurns({ agentId: "main", sessionKey: "unused" }), []);
      assert.deepEqual(
        (await store.listSessions(10)).map(({ sessionKey }) => sessionKey),
        ["used"],
      );
    });
  });
}
