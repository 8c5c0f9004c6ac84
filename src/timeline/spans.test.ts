import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  aDeliveryRow,
  after,
  anAttemptRecord,
  aNote,
  aRunRow,
  receivedAt,
  runFacts,
  timelineFacts,
  unfinished,
} from "../../test/builders/timeline.ts";
import { cases } from "../../test/support/cases.ts";
import type { AttemptEnd, AttemptRecord } from "../core/attempt-record.ts";
import type { DeliveryStatus } from "../core/delivery.ts";
import { runStatuses, type RunStatus } from "../core/run.ts";
import type { RunFacts } from "./facts.ts";
import { barOf, type Span, spansOf } from "./spans.ts";
import { timelineOf } from "./timeline.ts";

/** `waited 2000`: kinds and lengths. */
const read = (spans: readonly Span[]): string[] =>
  spans.map(({ kind, begin, end, isOpen }) => `${kind} ${end - begin}${isOpen ? " and on" : ""}`);
const now = after(60_000);

const retried = (...more: AttemptRecord[]): readonly AttemptRecord[] => [
  anAttemptRecord({ outcome: "retry", endedAt: after(2_600), nextTryAt: after(7_700) }),
  ...more,
];

test("the time of a run with a retry and a reply", () => {
  const facts = runFacts({
    run: aRunRow({ attempts: 2 }),
    attempts: retried(anAttemptRecord({ number: 2, startedAt: after(7_700) })),
  });
  assert.deepEqual(read(spansOf(facts, now)), [
    "waited 2000",
    "failed 600",
    "paused 5100",
    "worked 12300",
    "sending 900",
  ]);
});

test("the time of a run that waits, works, waits for its next try, or is sent", () => {
  const prompt = { at: after(2_000), characters: 1, texts: [] };
  const running = unfinished({ status: "running", attempts: 1, startedAt: after(2_000) }, { prompt });
  assert.deepEqual(read(spansOf(unfinished({}), now)), ["waited 60000 and on"]);
  assert.deepEqual(read(spansOf(unfinished({ status: "parked", startedAt: after(5) }), now)), [
    "waited 60000 and on",
  ]);
  assert.deepEqual(read(spansOf(running, now)), ["waited 2000", "worked 58000 and on"]);
  const waits = unfinished({ attempts: 1, nextTryAt: after(90_000) }, { attempts: retried(), prompt });
  assert.deepEqual(read(spansOf(waits, now)), ["waited 2000", "failed 600", "paused 57400 and on"]);
  const delivery = aDeliveryRow({ status: "waiting", sentAt: null, endedAt: null });
  assert.deepEqual(read(spansOf(runFacts({ deliveries: [delivery] }), now)), [
    "waited 2000",
    "worked 18000",
    "sending 40000 and on",
  ]);
});

test("the time of an attempt whose gateway stopped has failed", () => {
  const facts = runFacts({
    run: aRunRow({ attempts: 3 }),
    attempts: retried(anAttemptRecord({ number: 3, startedAt: after(15_000) })),
  });
  assert.deepEqual(read(spansOf(facts, now)), [
    "waited 2000",
    "failed 600",
    "paused 5100",
    "failed 7300",
    "worked 5000",
    "sending 900",
  ]);
});

test("several deliveries, and one that was not to be sent", () => {
  const deliveries = [
    aDeliveryRow({ endedAt: after(21_300) }),
    aDeliveryRow({ id: "2", status: "failed", endedAt: after(20_500) }),
    aDeliveryRow({ id: "3", status: "suppressed", endedAt: null }),
  ];
  assert.deepEqual(read(spansOf(runFacts({ deliveries }), now)).slice(2), ["sending 1300"]);
});

test("a bar from rows of lists alone", () => {
  const bar = (
    run: Parameters<typeof aRunRow>[0],
    delivery: Parameters<typeof aDeliveryRow>[0] | null = null,
  ) => read(barOf(aRunRow(run), delivery && aDeliveryRow(delivery), now));
  assert.deepEqual(bar({}, {}), ["waited 2000", "worked 18000", "sending 900"]);
  assert.deepEqual(bar({ status: "failed" }), ["waited 2000", "failed 18000"]);
  assert.deepEqual(bar({ status: "running", endedAt: null }), ["waited 2000", "worked 58000 and on"]);
  const queued = { status: "queued", endedAt: null } as const;
  assert.deepEqual(bar({ ...queued, startedAt: null }), ["waited 60000 and on"]);
  assert.deepEqual(bar({ ...queued, nextTryAt: after(90_000) }), ["waited 2000", "paused 58000 and on"]);
  assert.deepEqual(bar({ ...queued, status: "parked" }), ["waited 60000 and on"]);
  assert.deepEqual(bar({ status: "cancelled", startedAt: null }), ["waited 20000"]);
  const waiting = { status: "waiting", endedAt: null } as const;
  assert.deepEqual(bar({}, waiting).slice(2), ["sending 40000 and on"]);
  assert.deepEqual(bar({}, { status: "suppressed", endedAt: null }), ["waited 2000", "worked 18000"]);
});

test("a note was waited for until it was shown", () => {
  const spans = (shownAt: number | null) =>
    read(timelineOf(timelineFacts({ request: null, runs: [], events: [aNote({ shownAt })] }), now).spans);
  assert.deepEqual(spans(after(3_100)), ["waited 3100"]);
  assert.deepEqual(spans(null), ["waited 60000 and on"]);
});

const ends: readonly AttemptEnd[] = ["succeeded", "failed", "timed-out", "cancelled", "retry", "released"];
const deliveryEnds: readonly DeliveryStatus[] = ["waiting", "sent", "failed", "suppressed", "unknown"];
const anyTime = fc.integer({ min: -10_000, max: 100_000 }).map(after);
const anyTimeOrNull = fc.option(anyTime, { nil: null });

/** Rows of any state and with any times, such as clocks that were set leave behind. */
const anyRunFacts: fc.Arbitrary<RunFacts> = fc
  .record({
    status: fc.constantFrom<RunStatus>(...runStatuses),
    times: fc.tuple(anyTimeOrNull, anyTime, anyTimeOrNull, anyTimeOrNull),
    count: fc.nat(5),
    numbers: fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 4 }),
    attempts: fc.array(fc.record({ startedAt: anyTime, endedAt: anyTime, nextTryAt: anyTimeOrNull }), {
      minLength: 4,
      maxLength: 4,
    }),
    outcome: fc.constantFrom(...ends),
    prompt: fc.option(anyTime, { nil: null }),
    sent: fc.array(fc.tuple(fc.constantFrom(...deliveryEnds), anyTime, anyTimeOrNull), { maxLength: 3 }),
    shownAt: anyTimeOrNull,
  })
  .map(({ status, times, count, numbers, attempts, outcome, prompt, sent, shownAt }) => {
    const [startedAt, ended, nextTryAt, behind] = times;
    const isOver = !["queued", "parked", "running"].includes(status);
    return runFacts({
      run: aRunRow({
        status,
        startedAt,
        endedAt: isOver ? ended : null,
        nextTryAt: isOver ? null : nextTryAt,
        attempts: Math.max(count, ...numbers, 0),
        reply: status === "succeeded" ? "done" : null,
        createdAt: receivedAt,
      }),
      attempts: numbers
        .toSorted((one, other) => one - other)
        .map((number, at) => anAttemptRecord({ number, outcome, ...attempts[at] })),
      behind: { id: "run-0", status: "succeeded", endedAt: behind },
      prompt: prompt === null ? null : { at: prompt, characters: 1, texts: [] },
      deliveries: isOver
        ? sent.map(([state, createdAt, endedAt], at) =>
            aDeliveryRow({
              id: `d${at}`,
              status: state,
              createdAt,
              endedAt: state === "waiting" ? null : endedAt,
            }),
          )
        : [],
      summary: { id: "event-9", shownAt },
    });
  });

test("spans follow one another without a gap and add up to the whole, whatever the rows say", () => {
  fc.assert(
    fc.property(anyRunFacts, anyTime, (facts, at) => {
      const spans = spansOf(facts, at);
      let end = facts.run.createdAt;
      for (const span of spans) {
        assert.equal(span.begin, end);
        assert.ok(span.end > span.begin);
        end = span.end;
      }
      assert.ok(spans.slice(0, -1).every(({ isOpen }) => !isOpen));
      const { tookMs, endedAt, beganAt } = timelineOf(timelineFacts({ runs: [facts] }), at);
      assert.equal(end - beganAt, tookMs);
      if (spans.length > 0) assert.equal(spans.at(-1)?.isOpen, endedAt === null);
    }),
    cases(1000),
  );
});

test("steps are in order, and their times add up, whatever the rows say", () => {
  fc.assert(
    fc.property(anyRunFacts, anyTime, (facts, at) => {
      const { steps } = timelineOf(timelineFacts({ runs: [facts] }), at);
      let before = receivedAt;
      for (const step of steps.filter(({ runId }) => runId !== null)) {
        if (step.at === null) assert.equal(step.sinceMs, null);
        else {
          assert.equal(step.at - before, step.sinceMs);
          assert.ok(step.at >= before);
          before = step.at;
        }
        assert.ok(step.durationMs === null || step.durationMs >= 0);
        assert.notEqual(step.text, "");
      }
      const kinds = new Set(steps.map(({ kind }) => kind));
      for (const kind of [
        "received",
        "decided",
        "stored",
        "waited",
        "prompt",
        "reply",
        "summary",
        "delivered",
      ] as const)
        assert.ok(kinds.has(kind), kind);
    }),
    cases(1000),
  );
});
