// Runs that operators retry: one that has ended, or all that failed within a time.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newId } from "../../core/id.ts";
import type { EndStatus, FailedRuns, NewRun } from "../../core/run.ts";
import { aRun } from "../../../test/builders/run.ts";
import { aSettlement } from "../../../test/builders/settlement.ts";
import { acceptRuns, claim, claimNext, type Harness } from "./harness.contract.ts";
import type { Store } from "./store.ts";

async function end(store: Store, run: NewRun, status: EndStatus = "failed"): Promise<string> {
  await acceptRuns(store, run);
  const claimed = await claimNext(store);
  assert.equal(claimed.id, run.id);
  const error = status === "succeeded" ? null : "why";
  const next = { kind: "ended", status, reply: null, error } as const;
  assert.ok(await store.settleRun(claimed, aSettlement({ next })));
  return run.id;
}

const repeats = (...ids: string[]) => ids.map((id) => ({ id, newId: newId() }));

export function repeatsContract(harness: () => Harness): void {
  const everything = (): FailedRuns => ({
    endedFrom: 0,
    endedUntil: harness().clock.now(),
    hook: null,
    agentId: null,
  });
  const failed = async (which: Partial<FailedRuns> = {}, limit = 10) =>
    (await harness().store.listFailedRuns({ ...everything(), ...which, limit, after: null })).map(
      ({ id }) => id,
    );

  describe("repeats", () => {
    test("runs that failed or timed out are listed by their end; others are not", async () => {
      const { store, clock } = harness();
      const late = aRun();
      const ids: string[] = [];
      for (const status of ["failed", "succeeded", "timed-out", "cancelled"] as const) {
        const id = await end(store, aRun(), status);
        clock.advance(10);
        if (status === "failed" || status === "timed-out") ids.push(id);
      }
      await acceptRuns(store, late);
      assert.deepEqual(await failed(), ids);
      const [first, second] = await store.listFailedRuns({ ...everything(), limit: 2, after: null });
      assert.deepEqual(
        [first?.hook, first?.agentId, first?.acted, first?.endedAt],
        ["agent", "main", false, clock.now() - 40],
      );
      assert.deepEqual(await failed({ endedFrom: second!.endedAt }), [ids[1]]);
      assert.deepEqual(await failed({ endedUntil: first!.endedAt }), [ids[0]]);
      assert.deepEqual(await failed({ endedFrom: second!.endedAt + 1 }), []);
      const behind = await store.listFailedRuns({ ...everything(), limit: 2, after: first! });
      assert.deepEqual(behind, [second]);
    });

    test("they are selected by hook and agent, in pages, and say whether they changed something", async () => {
      const { store } = harness();
      const github = await end(store, aRun({ hook: "github" }));
      const other = await end(store, aRun({ agentId: "other" }));
      assert.deepEqual(await failed({ hook: "github" }), [github]);
      assert.deepEqual(await failed({ agentId: "other" }), [other]);
      assert.deepEqual(await failed({ hook: "github", agentId: "other" }), []);
      const acting = aRun();
      await acceptRuns(store, acting);
      const claimed = await claimNext(store);
      await store.markActed(claimed);
      const next = { kind: "ended", status: "failed", reply: null, error: "why" } as const;
      await store.settleRun(claimed, aSettlement({ next }));
      const all = await store.listFailedRuns({ ...everything(), limit: 10, after: null });
      assert.deepEqual(
        all.map(({ id, acted }) => [id, acted]),
        [
          [github, false],
          [other, false],
          [acting.id, true],
        ],
      );
      const paged: string[] = [];
      for (let after = null as (typeof all)[number] | null; ;) {
        const [one] = await store.listFailedRuns({ ...everything(), limit: 1, after });
        if (!one) break;
        paged.push(one.id);
        after = one;
      }
      assert.deepEqual(
        paged,
        all.map(({ id }) => id),
      );
    });

    test("each is repeated once, a conversation in its order, and says as which run", async () => {
      const { store } = harness();
      const ids = [
        await end(store, aRun({ sessionKey: "hook:talk" })),
        await end(store, aRun()),
        await end(store, aRun({ sessionKey: "hook:talk" }), "timed-out"),
      ];
      const fine = await end(store, aRun(), "succeeded");
      const copies = repeats(...ids);
      const done = await store.repeatFailedRuns([...copies, ...repeats(fine, newId())]);
      assert.deepEqual(done, { queued: copies, unreadable: [] });
      for (const { id, newId: copy } of copies) {
        const [old, again] = [await store.findRun(id), await store.findRun(copy)];
        assert.equal(old?.retriedAs, copy);
        assert.deepEqual([again?.status, again?.retriedAs], ["queued", null]);
        assert.deepEqual(again?.request, old.request);
      }
      assert.deepEqual(await failed(), []);
      assert.deepEqual((await store.repeatFailedRuns(repeats(...ids))).queued, [], "not twice");
      const [first, second, third] = copies.map(({ newId: copy }) => copy);
      const { claimed } = await claim(store);
      assert.deepEqual(new Set(claimed.map(({ id }) => id)), new Set([first, second]));
      const head = claimed.find(({ id }) => id === first);
      assert.ok(await store.settleRun(head!, aSettlement()));
      assert.equal((await claimNext(store)).id, third, "behind the first of its conversation");
    });

    test("two that repeat the same runs at once make one new run of each", async () => {
      const { store } = harness();
      const ids: string[] = [];
      for (let each = 0; each < 6; each++)
        ids.push(await end(store, aRun(each % 2 === 0 ? {} : { sessionKey: "hook:talk" })));
      const results = await Promise.all([
        store.repeatFailedRuns(repeats(...ids)),
        store.repeatFailedRuns(repeats(...ids.toReversed())),
      ]);
      const queued = results.flatMap((result) => result.queued.map(({ id }) => id));
      assert.deepEqual(queued.toSorted(), ids.toSorted());
      assert.equal((await store.listRuns({ kind: "hook", limit: null })).length, 12);
    });

    test("a run that was retried by its id is no longer among those that failed", async () => {
      const { store } = harness();
      const id = await end(store, aRun());
      const copy = newId();
      assert.equal(await store.repeatRun(id, copy), "queued");
      assert.equal((await store.findRun(id))?.retriedAs, copy);
      assert.deepEqual(await failed(), []);
      const again = newId();
      assert.equal(await store.repeatRun(id, again), "queued", "by its id it can be retried again");
      assert.equal((await store.findRun(id))?.retriedAs, again);
    });

    test("a repeated run that fails can be repeated in its turn", async () => {
      const { store } = harness();
      const id = await end(store, aRun());
      const [copy] = repeats(id);
      await store.repeatFailedRuns([copy!]);
      const claimed = await claimNext(store);
      const next = { kind: "ended", status: "failed", reply: null, error: "why" } as const;
      await store.settleRun(claimed, aSettlement({ next }));
      assert.deepEqual(await failed(), [copy!.newId]);
    });
  });
}
