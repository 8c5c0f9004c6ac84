// The audit: what was added is found, newest first.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { NewAuditEntry } from "../../core/audit.ts";
import { newId } from "../../core/id.ts";
import { collectFound } from "../create/searches.ts";
import type { Harness } from "./harness.contract.ts";

const entry = (parts: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  id: newId(),
  actor: "cli",
  verb: "run.cancel",
  subject: "run a",
  outcome: "done",
  ...parts,
});

export function auditContract(harness: () => Harness): void {
  describe("audit", () => {
    test("entries are found by who, what, how it ended and when, in pages", async () => {
      const { store, clock } = harness();
      const entries = [
        entry({ subject: "hook \0 \ud800" }),
        entry({ actor: "token", verb: "hook.pause" }),
        entry({ actor: "token", outcome: "refused" }),
      ];
      const times: number[] = [];
      for (const each of entries) {
        await store.addAudit(each);
        times.push(clock.now());
        clock.advance(1000);
      }
      const found = async (search: object) =>
        (await store.searchAudit({ limit: 10, before: null, ...search })).items.map(({ id }) => id);
      const [first, second, third] = entries.map(({ id }) => id);
      assert.deepEqual(await found({}), [third, second, first]);
      assert.deepEqual(await found({ actors: ["token"] }), [third, second]);
      assert.deepEqual(await found({ verbs: ["run.cancel", "run.retry"] }), [third, first]);
      assert.deepEqual(await found({ outcomes: ["refused"] }), [third]);
      assert.deepEqual(await found({ since: times[1] }), [third, second]);
      assert.deepEqual(await found({ until: times[1] }), [first]);
      const one = await store.searchAudit({ limit: 1, before: null });
      assert.deepEqual({ ...one.items[0], seq: 0 }, { ...entries[2], seq: 0, createdAt: times[2] });
      const all = await collectFound(null, ({ before }: { before: number | null }) =>
        store.searchAudit({ limit: 1, before }),
      );
      assert.deepEqual(
        all.map(({ subject }) => subject),
        ["run a", "run a", "hook \0 \ud800"],
      );
    });
  });
}
