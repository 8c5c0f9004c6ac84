// Which limit a request meets. How each estimate counts is in estimate.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { anEvent } from "../../test/builders/acceptance.ts";
import { aRun } from "../../test/builders/run.ts";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createAdmission, type Load } from "./admission.ts";

const runs = (count: number): Load => ({ runs: Array.from({ length: count }, () => aRun()), events: [] });
const events = (...texts: string[]): Load => ({ runs: [], events: texts.map((text) => anEvent(text)) });

/** An event without a text. */
const emptyBytes = Buffer.byteLength(JSON.stringify(anEvent("").text));

function admissionWith(limits: { maxQueued?: number; maxWaitingEvents?: number; maxWaitingBytes?: number }) {
  const clock = createFakeClock();
  const stored = { runs: 0, count: 0, bytes: 0, counts: 0 };
  const admission = createAdmission({
    store: {
      async countWaiting() {
        stored.counts++;
        return stored.runs;
      },
      async countWaitingEvents() {
        stored.counts++;
        return stored;
      },
    },
    clock,
    limits: () => ({ maxQueued: 10, maxWaitingEvents: 10, maxWaitingBytes: 1_000_000, ...limits }),
    isShared: false,
  });
  const admitsAfterRecount = async (load: Load) => {
    await clock.advance(1000);
    await admission.recount(load);
    return admission.admits(load);
  };
  return { admission, stored, admitsAfterRecount };
}

test("a full queue of runs refuses no wake, and full events refuse no run", async () => {
  const { admission, stored, admitsAfterRecount } = admissionWith({ maxQueued: 1, maxWaitingEvents: 2 });
  await admission.recount();
  admission.admitted(runs(1));
  assert.deepEqual([admission.admits(runs(1)), admission.admits(events("a"))], [false, true]);
  admission.admitted(events("a", "b"));
  assert.equal(admission.admits(events("c")), false);
  stored.count = 2;
  assert.equal(await admitsAfterRecount(events("c")), false);
  stored.count = 1;
  assert.equal(await admitsAfterRecount(events("c")), true);
  assert.equal(await admitsAfterRecount(events("c", "d")), false, "all events of a request, or none");
  assert.equal(await admitsAfterRecount(runs(1)), true, "the queue was counted again and is empty");
});

test("waiting events are refused by their size as it is stored, in bytes of UTF-8", async () => {
  const { admission, stored, admitsAfterRecount } = admissionWith({ maxWaitingBytes: 10_000 });
  await admission.recount();
  admission.admitted(events("ä".repeat(4000)));
  assert.ok(admission.admits(events("x")));
  admission.admitted(events("x".repeat(2000 - 2 * emptyBytes)));
  assert.equal(admission.admits(events("x")), false);
  stored.bytes = 9_999;
  assert.equal(await admitsAfterRecount(events("x")), true);
});

test("a wake that is larger than the limit is taken while less waits, not refused for ever", async () => {
  const { admission } = admissionWith({ maxWaitingBytes: 1024 });
  await admission.recount();
  const large = events("x".repeat(100_000));
  assert.ok(admission.admits(large));
  admission.admitted(large);
  assert.equal(admission.admits(large), false);
});

test("only what is full is counted again before a refusal", async () => {
  const { admission, stored, admitsAfterRecount } = admissionWith({ maxQueued: 1 });
  await admission.recount();
  const before = stored.counts;
  admission.admitted(runs(1));
  await admitsAfterRecount(runs(1));
  assert.equal(stored.counts, before + 1);
});
