// Accepting requests: all or nothing, exact text, idempotency keys.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { RunRequest } from "../../core/action.ts";
import { newId } from "../../core/id.ts";
import type { Message } from "../../core/message.ts";
import {
  aHeartbeatRequest,
  anAcceptance,
  anEvent,
  anArrival,
  anUnusedRequest,
} from "../../../test/builders/acceptance.ts";
import { aRun, aRunRequest } from "../../../test/builders/run.ts";
import { aSettlement } from "../../../test/builders/settlement.ts";
import { claim, type Harness } from "./harness.contract.ts";

const hostile = "quote ' \" \\ NUL \0 lone \ud800 pair 😀 line\u2028 \u0001 __proto__ $1 ?1 {{x}}";

export function requestsContract(harness: () => Harness): void {
  describe("requests", () => {
    test("an accepted request is stored exactly", async () => {
      const { store, clock } = harness();
      const message: Message = [hostile, { label: hostile, source: "request", text: hostile }, hostile];
      const queued = aRun({ request: aRunRequest({ message }) });
      const note = { ...anEvent(), text: message };
      const stored = await store.accept(
        anAcceptance({ runs: [queued], events: [note], heartbeat: aHeartbeatRequest() }),
      );
      assert.deepEqual(stored, { kind: "stored" });
      const foundRun = await store.findRun(queued.id);
      assert.deepEqual(foundRun, {
        ...queued,
        status: "queued",
        attempts: 0,
        createdAt: clock.now(),
        startedAt: null,
        endedAt: null,
        reply: null,
        error: null,
        signals: null,
        lastLine: null,
        report: null,
        nextTryAt: null,
        retriedAs: null,
      });
      const foundEvent = await store.findEvent(note.id);
      assert.deepEqual(foundEvent?.text, message);
      assert.equal(foundEvent?.shownAt, null);
    });

    test("the replays of requests are found, of each of several", async () => {
      const { store } = harness();
      const [first, second, third] = [anUnusedRequest(), anUnusedRequest(), anUnusedRequest()];
      const replayOf = ({ request }: typeof first, outcome: "skipped" | "failed") =>
        anUnusedRequest({ outcome }, { origin: "replay", replayOf: request.id });
      const replays = [replayOf(first, "skipped"), replayOf(first, "failed"), replayOf(second, "failed")];
      for (const each of [first, second, third, ...replays]) await store.recordRequest(each);
      const found = await store.findReplays([first, second, third].map(({ request }) => request.id));
      const byId = <T extends { id: string }>(list: T[]) => list.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      assert.deepEqual(
        byId(found),
        byId(replays.map(({ request: { id, replayOf: of }, outcome }) => ({ id, replayOf: of, outcome }))),
      );
      assert.deepEqual(await store.findReplays([]), []);
    });

    test("a message that an earlier version stored as one text is read as outside text", async () => {
      const { store } = harness();
      const { unsafe: _unknown, ...earlier } = aRunRequest();
      const queued = aRun({ request: { ...earlier, message: hostile } as unknown as RunRequest });
      const note = { ...anEvent(), text: hostile as unknown as Message };
      await store.accept(anAcceptance({ runs: [queued], events: [note] }));
      const message = [{ label: "text", source: "request", text: hostile }];
      assert.deepEqual((await store.findRun(queued.id))?.request, {
        ...aRunRequest(),
        message,
        unsafe: false,
      });
      assert.deepEqual((await claim(store)).claimed[0]?.request.message, message);
      assert.deepEqual((await store.findEvent(note.id))?.text, message);
      assert.deepEqual((await store.waitingEvents("main", 1))[0]?.text, message);
    });

    test("a requested agent id is stored as written", async () => {
      const { store } = harness();
      const queued = aRun({ requestedAgentId: "Nobody\0" });
      await store.accept(anAcceptance({ runs: [queued] }));
      assert.equal((await store.findRun(queued.id))?.requestedAgentId, "Nobody\0");
    });

    test("many concurrent requests are all stored", async () => {
      const { store } = harness();
      const runs = Array.from({ length: 300 }, () => aRun());
      await Promise.all(runs.map((each) => store.accept(anAcceptance({ runs: [each] }))));
      const ids = (await store.listRuns({ kind: "hook", limit: null })).map((each) => each.id);
      assert.deepEqual(ids.toSorted(), runs.map((each) => each.id).toSorted());
    });

    test("one request can lead to several runs of one conversation, which go in their order", async () => {
      const { store } = harness();
      const runs = ["a", "b", "a", "b", "a"].map((name) => aRun({ sessionKey: `hook:${name}` }));
      await store.accept(anAcceptance({ runs: [...runs, aRun()] }));
      const went: string[] = [];
      for (let pass = 0; pass < 3; pass++) {
        const { claimed } = await claim(store);
        went.push(...claimed.filter(({ isolated }) => !isolated).map(({ id }) => id));
        for (const each of claimed) assert.equal(await store.settleRun(each, aSettlement()), true);
      }
      const ids = (name: string) =>
        runs.flatMap((run) => (run.sessionKey === `hook:${name}` ? [run.id] : []));
      assert.deepEqual(
        went.filter((id) => ids("a").includes(id)),
        ids("a"),
      );
      assert.deepEqual(
        went.filter((id) => ids("b").includes(id)),
        ids("b"),
      );
    });

    test("a request that cannot be stored fails alone", async () => {
      const { store } = harness();
      const first = aRun();
      await store.accept(anAcceptance({ runs: [first] }));
      const good = [aRun(), aRun()];
      const poison = aRun({ id: first.id });
      const results = await Promise.allSettled(
        [good[0]!, poison, good[1]!].map((each) => store.accept(anAcceptance({ runs: [each] }))),
      );
      assert.deepEqual(
        results.map((result) => result.status),
        ["fulfilled", "rejected", "fulfilled"],
      );
      for (const each of good) assert.ok(await store.findRun(each.id));
    });

    test("the runs of one request are stored together or not at all", async () => {
      const { store } = harness();
      const first = aRun();
      await store.accept(anAcceptance({ runs: [first] }));
      const fresh = aRun();
      await assert.rejects(store.accept(anAcceptance({ runs: [fresh, aRun({ id: first.id })] })));
      assert.equal(await store.findRun(fresh.id), null);
    });

    test("a repeated idempotency key returns the first response and stores nothing", async () => {
      const { store } = harness();
      const idempotency = { key: "k", fingerprint: "body" };
      const first = anAcceptance({ runs: [aRun()], idempotency });
      await store.accept(first);
      const again = await store.accept(anAcceptance({ runs: [aRun()], idempotency }));
      assert.deepEqual(again, { kind: "replayed", response: first.response });
      assert.equal((await store.listRuns({ kind: "hook", limit: null })).length, 1);
    });

    test("the same key with another body is a mismatch", async () => {
      const { store } = harness();
      await store.accept(anAcceptance({ runs: [aRun()], idempotency: { key: "k", fingerprint: "one" } }));
      const other = anAcceptance({ runs: [aRun()], idempotency: { key: "k", fingerprint: "two" } });
      assert.deepEqual(await store.accept(other), { kind: "mismatch" });
      assert.equal((await store.listRuns({ kind: "hook", limit: null })).length, 1);
    });

    test("keys belong to their hook", async () => {
      const { store } = harness();
      const idempotency = { key: "k", fingerprint: "body" };
      await store.accept(anAcceptance({ hook: "one", runs: [aRun()], idempotency }));
      assert.deepEqual(await store.accept(anAcceptance({ hook: "two", runs: [aRun()], idempotency })), {
        kind: "stored",
      });
    });

    test("two concurrent requests with one key become one run, and both get its response", async () => {
      const { store } = harness();
      const twins = Array.from({ length: 20 }, () =>
        anAcceptance({ runs: [aRun()], idempotency: { key: "twin", fingerprint: "body" } }),
      );
      const results = await Promise.all(twins.map((twin) => store.accept(twin)));
      const stored = results.filter((result) => result.kind === "stored");
      assert.equal(stored.length, 1);
      const winner = twins[results.findIndex((result) => result.kind === "stored")]!;
      for (const result of results) {
        if (result.kind === "replayed") assert.deepEqual(result.response, winner.response);
      }
      const runs = await store.listRuns({ kind: "hook", limit: null });
      assert.deepEqual(
        runs.map((each) => each.id),
        winner.runs.map((each) => each.id),
      );
    });

    test("a key is free again after 24 hours", async () => {
      const { store, clock } = harness();
      const accept = () =>
        store.accept(anAcceptance({ runs: [aRun()], idempotency: { key: "k", fingerprint: "body" } }));
      await accept();
      clock.advance(24 * 3_600_000 - 1);
      assert.equal((await accept()).kind, "replayed");
      clock.advance(1);
      assert.equal((await accept()).kind, "stored");
    });

    test("a request with a key can be found until the key expires", async () => {
      const { store, clock } = harness();
      const idempotency = { key: "k", fingerprint: "body" };
      assert.equal(await store.findRepeated("agent", idempotency), null);
      const first = anAcceptance({ hook: "agent", runs: [aRun()], idempotency });
      await store.accept(first);
      clock.advance(24 * 3_600_000 - 1);
      assert.deepEqual(await store.findRepeated("agent", idempotency), {
        kind: "replayed",
        response: first.response,
      });
      assert.deepEqual(await store.findRepeated("agent", { ...idempotency, fingerprint: "other" }), {
        kind: "mismatch",
      });
      assert.equal(await store.findRepeated("other", idempotency), null);
      clock.advance(1);
      assert.equal(await store.findRepeated("agent", idempotency), null);
    });

    test("a request that failed does not use up its key", async () => {
      const { store } = harness();
      const first = aRun();
      await store.accept(anAcceptance({ runs: [first] }));
      const idempotency = { key: "k", fingerprint: "body" };
      await assert.rejects(store.accept(anAcceptance({ runs: [aRun({ id: first.id })], idempotency })));
      assert.deepEqual(await store.accept(anAcceptance({ runs: [aRun()], idempotency })), { kind: "stored" });
    });

    test("runs of one lane that arrive at the same time keep their order", async () => {
      const { store } = harness();
      const runs = Array.from({ length: 30 }, () => aRun({ sessionKey: "hook:one" }));
      await Promise.all(runs.map((each) => store.accept(anAcceptance({ runs: [each] }))));
      const listed = (await store.listRuns({ kind: "hook", limit: null }))
        .map((each) => each.id)
        .toReversed();
      assert.deepEqual(
        listed,
        runs.map((each) => each.id),
      );
      assert.deepEqual(
        (await claim(store)).claimed.map((each) => each.id),
        [runs[0]!.id],
      );
    });

    test("a request without an action is recorded", async () => {
      const { store, clock } = harness();
      const body = Buffer.from(`${hostile}\0${"x".repeat(5000)}`);
      const bodies = [null, Buffer.from([0xff, 0]), Buffer.from(hostile), body];
      const all = bodies.map((each) =>
        anUnusedRequest(
          { outcome: "skipped", reason: hostile },
          {
            hook: "github",
            credential: "ci",
            arrival: anArrival({ headers: { "x-a": hostile } }),
            body: each,
          },
        ),
      );
      for (const each of all) await store.recordRequest(each);
      const listed = await store.listRequests({ limit: 10 });
      assert.deepEqual(
        listed.map((record) => ({ ...record, seq: 0 })),
        all.toReversed().map(({ request: { body: kept, ...request }, outcome, reason }) => ({
          ...request,
          outcome,
          reason,
          runIds: [],
          eventIds: [],
          hasBody: kept !== null,
          seq: 0,
          createdAt: clock.now(),
        })),
      );
      for (const { request } of all) {
        assert.equal((await store.findRequest(request.id))?.id, request.id);
        const kept = await store.requestBody(request.id);
        assert.deepEqual(kept && Buffer.from(kept), request.body);
      }
      assert.equal(await store.findRequest(newId()), null);
      assert.equal(await store.requestBody(newId()), null);
    });
  });
}
