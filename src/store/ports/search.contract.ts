// Searches: what they find, in which order, and that pages together have everything once.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { aRequest, anAcceptance, anEvent, anUnusedRequest } from "../../../test/builders/acceptance.ts";
import { aRun } from "../../../test/builders/run.ts";
import { aDelivery, anAttempt, aSettlement } from "../../../test/builders/settlement.ts";
import { newId } from "../../core/id.ts";
import { newRequest } from "../../core/request.ts";
import type { NewRun } from "../../core/run.ts";
import { collectFound } from "../create/searches.ts";
import type { Found } from "./search.ts";
import { acceptRuns, claim, type Harness } from "./harness.contract.ts";
import type { Store } from "./store.ts";

const page = { limit: 10, before: null };
const ids = <T extends { id: string }>({ items }: Found<T>): string[] => items.map(({ id }) => id);

/** Ends the run, which has to be the next one, with this status. */
async function end(
  store: Store,
  status: "succeeded" | "failed" | "cancelled",
  error: string | null = null,
  more: Parameters<typeof aSettlement>[0] = {},
): Promise<void> {
  const { claimed } = await claim(store, { limit: 1 });
  const next = { kind: "ended", status, reply: null, error } as const;
  assert.ok(claimed[0]);
  await store.settleRun(claimed[0], aSettlement({ next, ...more }));
}

/** A kept request that leads to runs. */
async function accepted(store: Store, hook: string, count = 1): Promise<{ id: string; runs: NewRun[] }> {
  const id = newId();
  const runs = Array.from({ length: count }, () => aRun({ hook, requestId: id }));
  await store.accept(anAcceptance({ hook, runs, request: aRequest({ id, hook }) }));
  return { id, runs };
}

export function searchContract(harness: () => Harness): void {
  describe("searches", () => {
    test("requests are found by hook, outcome, reason, time and the beginning of an id", async () => {
      const { store, clock } = harness();
      const skipped = anUnusedRequest({ reason: "no mapping" }, { hook: "github" });
      const failed = anUnusedRequest({ outcome: "failed", reason: "it threw" }, { hook: "github" });
      const refused = anUnusedRequest({ outcome: "refused", reason: "no\0 \ud800" }, { hook: "deploy" });
      for (const each of [skipped, failed, refused]) {
        await store.recordRequest(each);
        clock.advance(60_000);
      }
      const { id: usual } = await accepted(store, "agent");
      const [first, second, third] = [skipped.request.id, failed.request.id, refused.request.id];
      const found = async (search: object) => ids(await store.searchRequests({ ...page, ...search }));
      assert.deepEqual(await found({}), [usual, third, second, first]);
      assert.deepEqual(await found({ hooks: ["github"] }), [second, first]);
      assert.deepEqual(await found({ hooks: ["github", "deploy"] }), [third, second, first]);
      assert.deepEqual(await found({ hooks: ["nowhere", "no\0thing", "\ud800"] }), []);
      assert.deepEqual(await found({ outcomes: ["failed", "refused"] }), [third, second]);
      assert.deepEqual(await found({ outcomes: ["accepted"] }), [usual]);
      assert.deepEqual(await found({ outcomes: ["accepted", "skipped"] }), [usual, first]);
      assert.deepEqual(await found({ hooks: ["github"], outcomes: ["failed"] }), [second]);
      assert.deepEqual(await found({ reason: "no\0 \ud800" }), [third]);
      const at = clock.now();
      assert.deepEqual(await found({ since: at - 60_000 }), [usual, third]);
      assert.deepEqual(await found({ since: at - 120_000, until: at - 60_000 }), [second]);
      assert.deepEqual(await found({ hooks: ["github"], until: at - 120_000 }), [first]);
      assert.deepEqual(await found({ id: second.slice(0, 36) }), [second]);
      assert.deepEqual(await found({ id: second.toUpperCase() }), [second]);
      assert.deepEqual(await found({ id: "ffff" }), []);
    });

    test("requests are found by the status of a run that they led to, each once", async () => {
      const { store } = harness();
      const quiet = await accepted(store, "agent");
      const many = await accepted(store, "batch", 3);
      const waiting = await accepted(store, "agent");
      await store.recordRequest(anUnusedRequest());
      await end(store, "succeeded");
      await end(store, "failed", "x");
      await end(store, "failed", "x");
      const found = async (search: object) => ids(await store.searchRequests({ ...page, ...search }));
      assert.deepEqual(await found({ statuses: ["failed"] }), [many.id]);
      assert.deepEqual(await found({ statuses: ["succeeded"] }), [quiet.id]);
      assert.deepEqual(await found({ statuses: ["queued"] }), [waiting.id, many.id]);
      assert.deepEqual(await found({ statuses: ["queued", "failed", "succeeded"] }), [
        waiting.id,
        many.id,
        quiet.id,
      ]);
      assert.deepEqual(await found({ statuses: ["queued"], hooks: ["batch"] }), [many.id]);
      assert.deepEqual(await found({ statuses: ["queued"], outcomes: ["failed"] }), []);
      const one = (read: { before: number | null }) =>
        store.searchRequests({ statuses: ["queued", "failed", "succeeded"], limit: 1, before: read.before });
      assert.deepEqual(
        (await collectFound<{ id: string }, number>(null, one)).map(({ id }) => id),
        [waiting.id, many.id, quiet.id],
        "in pages of one",
      );
    });

    test("runs are found by what they are and how they ended", async () => {
      const { store } = harness();
      const runs = [
        aRun({ hook: "github" }),
        aRun({ agentId: "helper", sessionKey: "hook:talk" }),
        aRun({ hook: "github", agentId: "helper" }),
        aRun(),
      ];
      const [ok, talk, bad, waits] = runs.map(({ id }) => id);
      await acceptRuns(store, ...runs);
      await store.requestHeartbeat({ agentId: "main", delayMs: 0 });
      await end(store, "succeeded");
      await end(store, "cancelled", "stopped");
      await end(store, "failed", "down\0");
      const found = async (search: object) =>
        ids(await store.searchRuns({ ...page, kinds: ["hook"], ...search }));
      assert.deepEqual(await found({}), [waits, bad, talk, ok]);
      assert.equal((await store.searchRuns({ ...page, kinds: ["heartbeat"] })).items.length, 1);
      assert.equal((await store.searchRuns(page)).items.length, 5);
      assert.deepEqual(await found({ hooks: ["github"] }), [bad, ok]);
      assert.deepEqual(await found({ agents: ["helper"] }), [bad, talk]);
      assert.deepEqual(await found({ sessions: ["hook:talk"] }), [talk]);
      for (const [status, id] of [
        ["succeeded", ok],
        ["cancelled", talk],
        ["failed", bad],
        ["queued", waits],
      ] as const)
        assert.deepEqual(await found({ statuses: [status] }), [id], status);
      assert.deepEqual(await found({ statuses: ["failed", "cancelled", "queued"] }), [waits, bad, talk]);
      assert.deepEqual(await found({ statuses: ["running", "parked", "timed-out"] }), []);
      assert.deepEqual(await found({ error: "down\0" }), [bad]);
      assert.deepEqual(await found({ error: "down\0", statuses: ["cancelled"] }), []);
      const { claimed } = await claim(store, { limit: 1 });
      assert.deepEqual(await found({ statuses: ["running"] }), [claimed[0]?.id]);
      assert.deepEqual(await found({ statuses: ["running", "queued"] }), [claimed[0]?.id]);
    });

    test("events are found by hook, and by whether they were shown", async () => {
      const { store } = harness();
      const events = [anEvent("a"), anEvent("b", { hook: "github" }), anEvent("c", { hook: null })];
      await store.accept(anAcceptance({ events }));
      const [a, b, c] = events.map(({ id }) => id);
      await store.markEvent(b!, false);
      const found = async (search: object) => ids(await store.searchEvents({ ...page, ...search }));
      assert.deepEqual(await found({}), [c, b, a]);
      assert.deepEqual(await found({ statuses: ["waiting"] }), [c, a]);
      assert.deepEqual(await found({ statuses: ["shown"] }), [b]);
      assert.deepEqual(await found({ statuses: ["shown", "waiting"] }), [c, b, a]);
      assert.deepEqual(await found({ hooks: ["github"] }), [b]);
      assert.deepEqual(await found({ hooks: ["github"], statuses: ["waiting"] }), []);
    });

    test("deliveries are found by status, channel and run", async () => {
      const { store } = harness();
      const deliveries = [
        aDelivery({ channel: "telegram" }),
        aDelivery({ channel: "slack" }),
        aDelivery({ channel: "slack", status: "failed", error: "gone" }),
      ];
      const [sent, waits, failed] = deliveries.map(({ id }) => id);
      for (const delivery of deliveries) {
        await acceptRuns(store, aRun({ id: delivery.runId }));
        await end(store, "succeeded", null, { delivery });
      }
      const { claimed } = await store.claimDeliveries({
        channel: "telegram",
        limit: 1,
        lease: "l",
        leaseMs: 1,
      });
      const done = { delayMs: 0, countsAttempt: true, error: null, notice: null, fallback: null };
      assert.equal(
        await store.settleDelivery(claimed[0]!, {
          ...done,
          status: "sent",
          sentMessages: 1,
          uncertainSends: 0,
        }),
        true,
      );
      const found = async (search: object) => ids(await store.searchDeliveries({ ...page, ...search }));
      assert.deepEqual(await found({}), [failed, waits, sent]);
      assert.deepEqual(await found({ statuses: ["failed", "unknown"] }), [failed]);
      assert.deepEqual(await found({ statuses: ["waiting"] }), [waits]);
      assert.deepEqual(await found({ statuses: ["waiting", "failed"] }), [failed, waits]);
      assert.deepEqual(await found({ statuses: ["sent"] }), [sent]);
      assert.deepEqual(await found({ channels: ["slack"] }), [failed, waits]);
      assert.deepEqual(await found({ runId: deliveries[1]!.runId }), [waits]);
      assert.deepEqual(await found({ runId: "nobody" }), []);
    });

    test("attempts and deliveries of several runs are read at once, without the deliveries' texts", async () => {
      const { store } = harness();
      const [first, second, other] = [aRun(), aRun(), aRun()];
      for (const run of [first, second, other]) {
        await acceptRuns(store, run);
        const delivery = aDelivery({ runId: run.id, text: "a long reply" });
        const attempt = anAttempt({ outcome: "succeeded" });
        await end(store, "succeeded", null, { delivery, attempt });
      }
      const runIds = [second.id, first.id, "unknown"];
      assert.deepEqual(
        (await store.attemptsOf(runIds)).map(({ runId }) => runId).toSorted(),
        [first.id, second.id].toSorted(),
      );
      const deliveries = await store.deliveriesOf(runIds);
      assert.deepEqual(
        new Set(deliveries.map(({ runId, text, channel }) => `${runId} ${text} ${channel}`)),
        new Set([first, second].map(({ id }) => `${id}  telegram`)),
      );
      assert.deepEqual([await store.attemptsOf([]), await store.deliveriesOf([])], [[], []]);
    });

    test("pages have everything once, also where a page finds nothing", async () => {
      const { store } = harness();
      const events = Array.from({ length: 5003 }, (_, at) =>
        anEvent(String(at), { hook: at % 1000 === 7 ? "rare" : "usual" }),
      );
      await store.accept(anAcceptance({ events: events.slice(0, 3000) }));
      await store.accept(anAcceptance({ events: events.slice(3000) }));
      const rare = events
        .filter(({ hook }) => hook === "rare")
        .map(({ id }) => id)
        .toReversed();
      const first = await store.searchEvents({ limit: 3, before: null, hooks: ["rare"] });
      assert.deepEqual(ids(first), rare.slice(0, 2), "a page looks at 2,000 rows");
      assert.ok(first.next !== null);
      for (const limit of [1, 2, 50]) {
        const read = ({ before }: { before: number | null }) =>
          store.searchEvents({ limit, before, hooks: ["rare"] });
        assert.deepEqual(
          (await collectFound<{ id: string }, number>(null, read)).map(({ id }) => id),
          rare,
        );
      }
      const nothing = await collectFound<{ id: string }, number>(null, ({ before }) =>
        store.searchEvents({ limit: 50, before, hooks: ["none"] }),
      );
      assert.deepEqual(nothing, []);
      const whole = await store.searchEvents({ limit: 5003, before: null });
      assert.deepEqual([whole.items.length, whole.next], [5003, null]);
    });

    test("a search of a time skips what lies outside of it, also where the clock was set", async () => {
      const { store, clock } = harness();
      const stored: { id: string; at: number }[] = [];
      const store1500 = async () => {
        const events = Array.from({ length: 1500 }, () => anEvent());
        await store.accept(anAcceptance({ events }));
        for (const { id } of events) stored.push({ id, at: clock.now() });
        clock.advance(60_000);
      };
      for (let minute = 0; minute < 3; minute++) await store1500();
      clock.step(-120_000);
      for (let minute = 0; minute < 3; minute++) await store1500();
      const from = stored[0]!.at;
      for (const [since, until] of [
        [from + 60_000, from + 120_000],
        [from, from + 60_000],
        [from + 180_000, from + 600_000],
        [from + 60_000, null],
        [null, from + 120_000],
        [from + 999_000, null],
      ] as const) {
        const search = { ...(since !== null && { since }), ...(until !== null && { until }) };
        let pages = 0;
        const found = await collectFound<{ id: string }, number>(null, ({ limit, before }) => {
          pages++;
          return store.searchEvents({ ...search, limit, before });
        });
        const wanted = stored
          .filter(({ at }) => at >= (since ?? 0) && at < (until ?? Infinity))
          .map(({ id }) => id)
          .toReversed();
        assert.deepEqual(
          found.map(({ id }) => id),
          wanted,
          JSON.stringify([since, until]),
        );
        if (wanted.length === 0) assert.ok(pages <= 2, `${pages} pages`);
      }
    });

    test("an id may be its beginning, where that is unique, or the word last", async () => {
      const { store } = harness();
      assert.deepEqual(await store.resolveId("run", "last"), { kind: "none" });
      const named = Array.from({ length: 7 }, (_, at) => `0198c0de-0000-7000-8000-00000000000${at}`);
      await acceptRuns(
        store,
        ...named.map((id) => aRun({ id })),
        aRun({ id: "0198c0df-0000-7000-8000-000000000000" }),
      );
      await store.requestHeartbeat({ agentId: "main", delayMs: 0 });
      const one = (id: string | undefined) => ({ kind: "one", id });
      assert.deepEqual(await store.resolveId("run", named[3]!), one(named[3]));
      assert.deepEqual(await store.resolveId("run", "0198C0DF"), one("0198c0df-0000-7000-8000-000000000000"));
      assert.deepEqual(await store.resolveId("run", "last"), one("0198c0df-0000-7000-8000-000000000000"));
      const several = await store.resolveId("run", "0198c0de-");
      assert.ok(several.kind === "several" && several.more);
      assert.deepEqual(
        several.candidates.map(({ id }) => id),
        named.slice(0, 5),
      );
      for (const written of ["019", "0198c0de-1", "%", "0198_", "", "no id"])
        assert.deepEqual(await store.resolveId("run", written), { kind: "none" }, written);
      assert.deepEqual(await store.resolveId("event", "0198"), { kind: "none" });
      await acceptRuns(store, aRun({ id: "x" }));
      assert.deepEqual(await store.resolveId("run", "x"), one("x"), "an id of any form, when it is whole");
    });

    test("rows are found by several ids at once, in their order", async () => {
      const { store } = harness();
      const runs = [aRun(), aRun()];
      await acceptRuns(store, ...runs);
      const events = [anEvent(), anEvent()];
      await store.accept(anAcceptance({ events }));
      const [a, b] = runs.map(({ id }) => id);
      assert.deepEqual(
        (await store.findRuns([b!, newId(), a!, b!])).map(({ id }) => id),
        [b, a],
      );
      assert.deepEqual(await store.findRuns([]), []);
      const wanted = events.map(({ id }) => id).toReversed();
      assert.deepEqual(
        (await store.findEvents(wanted)).map(({ id }) => id),
        wanted,
      );
    });

    test("a request names its replays", async () => {
      const { store } = harness();
      const { id } = await accepted(store, "agent");
      const replay = newRequest({ id: newId(), hook: "agent", origin: "replay", replayOf: id });
      await store.recordRequest({ request: replay, outcome: "skipped", reason: "nothing" });
      assert.deepEqual(
        (await store.listReplays(id)).map((each) => each.id),
        [replay.id],
      );
      assert.deepEqual(await store.listReplays(replay.id), []);
    });

    test("a run of a conversation waits behind its lane's head", async () => {
      const { store } = harness();
      const talk = Array.from({ length: 3 }, () => aRun({ sessionKey: "hook:talk" }));
      const alone = aRun();
      await acceptRuns(store, ...talk, alone);
      const [head, second, third] = talk.map(({ id }) => id);
      assert.equal((await store.runBehind(second!))?.id, head);
      assert.equal((await store.runBehind(third!))?.id, head);
      assert.equal(await store.runBehind(head!), null);
      assert.equal(await store.runBehind(alone.id), null);
      assert.equal(await store.runBehind("nobody"), null);
      await end(store, "succeeded");
      assert.equal((await store.runBehind(third!))?.id, second);
      assert.equal(await store.runBehind(head!), null, "it has ended");
    });

    test("requests that failed for the same reason are counted up to 100", async () => {
      const { store } = harness();
      const same = { hook: "github", outcome: "failed", reason: "it threw" } as const;
      const one = anUnusedRequest({ outcome: "failed", reason: "it threw" }, { hook: "github" });
      await store.recordRequest(one);
      await store.recordRequest(
        anUnusedRequest({ outcome: "failed", reason: "it threw" }, { hook: "other" }),
      );
      await store.recordRequest(
        anUnusedRequest({ outcome: "skipped", reason: "it threw" }, { hook: "github" }),
      );
      await store.recordRequest(anUnusedRequest({ outcome: "failed", reason: "other" }, { hook: "github" }));
      assert.deepEqual(await store.sameReason(same), { count: 1, more: false });
      assert.deepEqual(await store.sameReason({ ...same, besides: one.request.id }), {
        count: 0,
        more: false,
      });
      await Promise.all(
        Array.from({ length: 120 }, () =>
          store.recordRequest(anUnusedRequest({ outcome: "failed", reason: "it threw" }, { hook: "github" })),
        ),
      );
      assert.deepEqual(await store.sameReason(same), { count: 100, more: true });
    });

    test("the requests of the last hour are counted by half a minute and outcome", async () => {
      const { store, clock } = harness();
      await store.recordRequest(anUnusedRequest());
      clock.advance(3_599_000);
      await accepted(store, "agent");
      await accepted(store, "agent");
      await store.recordRequest(anUnusedRequest({ outcome: "refused" }));
      clock.advance(500);
      const { parts, completeSince } = await store.outcomesPerHalfMinute();
      assert.equal(parts.length, 120);
      assert.equal(completeSince, clock.now() + 1 - 3_600_000);
      assert.deepEqual(parts.map(({ from }) => from)[1], completeSince + 30_000);
      assert.deepEqual(parts[0]?.counts, { skipped: 1 });
      assert.deepEqual(parts[119]?.counts, { accepted: 2, refused: 1 });
      assert.ok(parts.slice(1, 119).every(({ counts }) => Object.keys(counts).length === 0));
      clock.advance(1000);
      const later = await store.outcomesPerHalfMinute();
      assert.deepEqual(later.parts[0]?.counts, {});
      assert.deepEqual(later.parts[119]?.counts, { accepted: 2, refused: 1 });
    });

    test("sessions are found by agent and by when they were used, in pages", async () => {
      const { store, clock } = harness();
      const talk = (agentId: string, sessionKey: string) => aRun({ agentId, sessionKey });
      const talks = [talk("main", "hook:a"), talk("helper", "hook:b"), talk("main", "hook:c")];
      for (const run of talks) {
        await acceptRuns(store, run);
        const { claimed } = await claim(store, { limit: 1 });
        const { id, lease, hook, agentId, sessionKey } = claimed[0]!;
        const prompt = { isolated: false, historyCharacters: 0, prompt: "do it", budget: null };
        await store.startRun({ id, lease, hook, agentId, sessionKey, ...prompt });
        clock.advance(1000);
      }
      const found = async (search: object) =>
        (await store.searchSessions({ limit: 10, before: null, ...search })).items.map(
          ({ sessionKey }) => sessionKey,
        );
      assert.deepEqual(await found({}), ["hook:c", "hook:b", "hook:a"]);
      assert.deepEqual(await found({ agents: ["main"] }), ["hook:c", "hook:a"]);
      const now = clock.now();
      assert.deepEqual(await found({ since: now - 2000 }), ["hook:c", "hook:b"]);
      assert.deepEqual(await found({ until: now - 2000 }), ["hook:a"]);
      const pages = await collectFound(
        null,
        ({ before }: { before: Parameters<Store["searchSessions"]>[0]["before"] }) =>
          store.searchSessions({ limit: 1, before }),
      );
      assert.deepEqual(pages, (await store.searchSessions({ limit: 10, before: null })).items);
      assert.equal(pages[0]?.turns, 1);
    });
  });
}
