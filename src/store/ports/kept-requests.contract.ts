// Requests are kept in the transaction of what they lead to, with each way in which one can be accepted.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { FirstAttempt } from "../../core/attempt.ts";
import type { Acceptance, RequestRecord } from "../../core/request.ts";
import type { NewRun } from "../../core/run.ts";
import { aHeartbeatRequest, anAcceptance, anEvent, aRequest } from "../../../test/builders/acceptance.ts";
import { aRun } from "../../../test/builders/run.ts";
import { leaseMs, type Harness } from "./harness.contract.ts";
import type { Store } from "./store.ts";

const hostile = "quote ' \" \\ NUL \0 lone \ud800 pair 😀 line\u2028 \u0001 $1 ?1";

const decision = {
  mappings: [
    {
      id: "ci",
      takes: true,
      reason: null,
      filters: [{ field: "event", wanted: '"push"', met: hostile, holds: true }],
    },
  ],
  policy: { allowed: true, reason: null },
};

/** With its request, which its runs and events name. */
function kept(parts: Partial<Acceptance> = {}): Acceptance {
  const request = aRequest({ body: Buffer.from(hostile), mapping: "ci", decision, credential: "ci" });
  const { runs = [], events = [] } = parts;
  return anAcceptance({
    ...parts,
    request,
    runs: runs.map((run) => ({ ...run, requestId: request.id })),
    events: events.map((event) => ({ ...event, requestId: request.id })),
  });
}

const firstAttempt = (
  { id, hook, agentId, sessionKey }: NewRun,
  budget: FirstAttempt["start"]["budget"] = null,
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
    budget,
  },
  leaseMs,
});

const requestOf = async (store: Store, { request }: Acceptance): Promise<RequestRecord> => {
  const found = await store.findRequest(request!.id);
  assert.ok(found, "the request is kept");
  return found;
};

const endOf = ({ outcome, reason, runIds, eventIds }: RequestRecord) => ({
  outcome,
  reason,
  runIds,
  eventIds,
});

async function assertKept(store: Store, acceptance: Acceptance): Promise<void> {
  const { request, runs, events } = acceptance;
  const { body, ...rest } = request!;
  const found = await requestOf(store, acceptance);
  assert.deepEqual(found, {
    ...found,
    ...rest,
    outcome: "accepted",
    reason: null,
    runIds: runs.map(({ id }) => id),
    eventIds: events.map(({ id }) => id),
    hasBody: true,
  });
  assert.deepEqual(Buffer.from((await store.requestBody(rest.id))!), body);
  for (const { id } of runs) assert.equal((await store.findRun(id))?.requestId, rest.id);
  for (const { id } of events) assert.equal((await store.findEvent(id))?.requestId, rest.id);
}

const shapes: Readonly<Record<string, () => Acceptance>> = {
  "an isolated run": () => kept({ runs: [aRun()] }),
  "a run of a conversation": () => kept({ runs: [aRun({ sessionKey: "hook:shop" })] }),
  "a note": () => kept({ events: [anEvent(), anEvent()] }),
  "a note and a heartbeat": () => kept({ events: [anEvent()], heartbeat: aHeartbeatRequest() }),
  "runs and notes": () => kept({ runs: [aRun(), aRun()], events: [anEvent()] }),
  "an isolated run with a key": () =>
    kept({ runs: [aRun()], idempotency: { key: aRun().id, fingerprint: "f" } }),
  "a note with two keys": () =>
    kept({
      events: [anEvent()],
      idempotency: { key: aRun().id, secondKey: aRun().id, fingerprint: "f" },
    }),
};

export function keptRequestsContract(harness: () => Harness): void {
  describe("kept requests", () => {
    for (const [what, make] of Object.entries(shapes))
      test(`${what}: the request is kept beside it, also where others of its group are not kept`, async () => {
        const { store } = harness();
        const many = [make(), { ...make(), request: null }, make()];
        const results = await Promise.all(many.map((each) => store.accept(each)));
        assert.deepEqual(
          results.map(({ kind }) => kind),
          ["stored", "stored", "stored"],
        );
        await assertKept(store, many[0]!);
        await assertKept(store, many[2]!);
        assert.equal((await store.listRequests({ limit: null })).length, 2);
      });

    test("a run that is stored as started, or that its budget leaves", async () => {
      const { store } = harness();
      const budget = { runsPerDay: 1, tokensPerDay: 10, moneyPerDay: null };
      const many = [kept({ runs: [aRun()] }), kept({ runs: [aRun()] })];
      const results = [];
      for (const each of many) results.push(await store.accept(each, firstAttempt(each.runs[0]!, budget)));
      const [started] = results;
      assert.equal(started?.kind === "stored" && started.started?.requestId, many[0]!.request?.id);
      for (const each of many) await assertKept(store, each);
      assert.equal((await store.listRequests({ limit: null })).length, 2);
    });

    test("a repeated request is kept with what the first one led to, and another body as refused", async () => {
      const { store } = harness();
      const idempotency = { key: "k", fingerprint: "body" };
      const run = aRun();
      const first = kept({
        id: run.id,
        runs: [run],
        idempotency,
        response: { status: 202, body: { ok: true, runId: run.id } },
      });
      const again = kept({ runs: [aRun()], idempotency });
      const other = kept({ runs: [aRun()], idempotency: { ...idempotency, fingerprint: "other" } });
      await store.accept(first);
      assert.equal((await store.accept(again)).kind, "replayed");
      assert.equal((await store.accept(other)).kind, "mismatch");
      await assertKept(store, first);
      assert.deepEqual(endOf(await requestOf(store, again)), {
        outcome: "repeated",
        reason: null,
        runIds: [run.id],
        eventIds: [],
      });
      const refused = await requestOf(store, other);
      assert.deepEqual([refused.outcome, refused.runIds], ["refused", []]);
      assert.match(refused.reason!, /^idempotency-mismatch: /);
      assert.deepEqual(refused.decision, decision);
    });

    test("twins with one key: one is accepted, each other one is kept as repeated", async () => {
      const { store } = harness();
      const twins = Array.from({ length: 10 }, () => {
        const run = aRun();
        const response = { status: 202, body: { ok: true, runId: run.id } };
        return kept({ id: run.id, runs: [run], response, idempotency: { key: "twin", fingerprint: "f" } });
      });
      await Promise.all(twins.map((twin) => store.accept(twin)));
      const found = await Promise.all(twins.map((twin) => requestOf(store, twin)));
      const [winner, ...more] = found.filter(({ outcome }) => outcome === "accepted");
      assert.equal(more.length, 0);
      for (const each of found) assert.deepEqual(each.runIds, winner!.runIds);
      assert.equal(found.filter(({ outcome }) => outcome === "repeated").length, 9);
    });

    test("a request that leads to nothing is kept with its key", async () => {
      const { store } = harness();
      const idempotency = { key: "k", fingerprint: "f" };
      const nothing = { outcome: "skipped", reason: hostile } as const;
      const response = { status: 204, body: {} };
      const skipped = { ...kept({ idempotency, response }), nothing };
      assert.deepEqual(await store.accept(skipped), { kind: "stored" });
      const { outcome, reason } = await requestOf(store, skipped);
      assert.deepEqual([outcome, reason], ["skipped", hostile]);
      assert.deepEqual(await store.findRepeated("agent", idempotency), { kind: "replayed", response });
    });

    test("a request that cannot be stored is not kept, and the others of its group are", async () => {
      const { store } = harness();
      const [first, good] = [kept({ runs: [aRun()] }), kept({ runs: [aRun()] })];
      await store.accept(first);
      const poison = kept({ runs: [aRun({ id: first.runs[0]!.id })] });
      const results = await Promise.allSettled([good, poison].map((each) => store.accept(each)));
      assert.deepEqual(
        results.map(({ status }) => status),
        ["fulfilled", "rejected"],
      );
      await assertKept(store, good);
      assert.equal(await store.findRequest(poison.request!.id), null);
    });

    test("mail: the requests of what is taken in are kept, once", async () => {
      const { store } = harness();
      const account = { id: "gmail:a", lease: "l" };
      await store.claimMailbox({ ...account, leaseMs });
      const mail = () => kept({ hook: "gmail", runs: [aRun()] });
      const [first, again] = [mail(), mail()];
      const commit = (acceptance: Acceptance) =>
        store.commitMail({
          ...account,
          mails: [{ id: "m", outcome: "accepted", acceptance, record: null, retryInMs: null }],
          end: null,
        });
      assert.deepEqual(await commit(first), ["m"]);
      assert.deepEqual(await commit(again), []);
      await assertKept(store, first);
      assert.equal(await store.findRequest(again.request!.id), null);
    });

    test("bodies of every size and form come back as they were", async () => {
      const { store } = harness();
      const bytes = Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 7) % 256));
      const bodies = [
        Buffer.alloc(0),
        Buffer.from([0xff]),
        Buffer.from(`{"text":${JSON.stringify(hostile)}}`),
        bytes,
        Buffer.from("x".repeat(70_000)),
      ];
      for (const body of bodies) {
        const acceptance = { ...kept({ runs: [aRun()] }) };
        acceptance.request = { ...acceptance.request!, body };
        await store.accept(acceptance);
        assert.deepEqual(Buffer.from((await store.requestBody(acceptance.request.id))!), body);
      }
    });
  });
}
