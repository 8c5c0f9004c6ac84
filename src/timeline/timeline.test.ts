import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  aDeliveryRow,
  after,
  anAttemptRecord,
  aNote,
  aRequestRecord,
  aRunRow,
  aToolCall,
  runFacts,
  timelineFacts,
  unfinished,
  unusedFacts,
} from "../../test/builders/timeline.ts";
import { anArrival } from "../../test/builders/acceptance.ts";
import { aRunRequest } from "../../test/builders/run.ts";
import type { TimelineFacts } from "./facts.ts";
import type { Step } from "./step.ts";
import { timelineOf } from "./timeline.ts";
import { durationWords } from "./words.ts";

const aMinuteLater = after(60_000);

/** `+2.0 s done Prompt: 1 text from outside`, as it is read. */
const readable = ({ sinceMs, state, title, text }: Step): string =>
  `${sinceMs === null ? "" : `+${durationWords(sinceMs)} `}${state} ${title}: ${text}`;

const read = (facts: TimelineFacts, now = aMinuteLater): string[] =>
  timelineOf(facts, now).steps.map(readable);
const ofRun = (facts: TimelineFacts, now = aMinuteLater): string[] =>
  timelineOf(facts, now)
    .steps.filter(({ runId }) => runId !== null)
    .map(readable);

describe("the timeline", () => {
  test("of a run that went well has every step with its time", () => {
    assert.deepEqual(read(timelineFacts()), [
      "done Received: POST /hooks/agent, 127.0.0.1, 2 bytes",
      "done Decided: hook agent",
      "done Stored: run run-1",
      "waited Waited: 2.0 s for a slot",
      "+2.0 s done Prompt: 1 text from outside, 800 characters",
      "+0 ms done Attempt 1: main on harbour-a, 18.0 s",
      "+18.0 s done Reply: 11 characters",
      "+900 ms done Delivered: telegram, 12345, 1 message",
      "+2.1 s done Summary: shown to the main session",
    ]);
    const { status, beganAt, endedAt, tookMs } = timelineOf(timelineFacts(), aMinuteLater);
    assert.deepEqual([status, beganAt, endedAt, tookMs], ["succeeded", after(0), after(20_900), 20_900]);
  });

  test("names the mapping, its filters, the policy, and who proved the request", () => {
    const filters = [
      { field: "event", wanted: '"issues"', met: '"issues"', holds: true },
      { field: "payload.action", wanted: '"opened"', met: '"opened"', holds: true },
    ];
    const other = [{ field: "payload.label", wanted: '"security"', met: '"bug"', holds: false }];
    const request = aRequestRecord({
      hook: "github",
      credential: "github",
      mapping: "github-issues",
      arrival: anArrival({ target: "/hooks/github", bytes: 8_123, event: "issues", delivery: "d-1" }),
      decision: {
        mappings: [
          { id: "security-issues", takes: false, reason: null, filters: other },
          { id: "github-issues", takes: true, reason: null, filters },
        ],
        policy: { allowed: true, reason: null },
      },
    });
    const { steps } = timelineOf(timelineFacts({ request }), aMinuteLater);
    assert.deepEqual(steps.slice(0, 2).map(readable), [
      "done Received: POST /hooks/github, 127.0.0.1, 8.1 KB, proved by sender github, event issues, delivery d-1",
      "done Decided: github-issues took it, 2 of 2 filters true, policy allows it",
    ]);
    assert.deepEqual(
      steps[1]?.details.map((detail) =>
        detail.kind === "mapping" ? [detail.id, detail.takes] : detail.kind,
      ),
      [["security-issues", false], ["github-issues", true], "policy"],
    );
  });

  test("of a retry has both attempts, the reason, the wait and the tool calls", () => {
    const attempts = [
      anAttemptRecord({
        outcome: "retry",
        reason: "529 overloaded",
        endedAt: after(2_600),
        nextTryAt: after(7_600),
      }),
      anAttemptRecord({
        number: 2,
        node: "harbour-b",
        startedAt: after(7_700),
        toolCalls: [aToolCall(), aToolCall({ name: "secrets.read", ok: false })],
      }),
    ];
    const facts = timelineFacts({ runs: [runFacts({ run: aRunRow({ attempts: 2 }), attempts })] });
    assert.deepEqual(ofRun(facts).slice(2, 4), [
      "+0 ms failed Attempt 1: main on harbour-a, failed after 600 ms: 529 overloaded, tried again after 5.0 s",
      "+5.7 s done Attempt 2: main on harbour-b, 12.3 s, 2 tool calls, 1 of them failed",
    ]);
    const [, second] = timelineOf(facts, aMinuteLater).steps.filter(({ kind }) => kind === "attempt");
    assert.deepEqual(
      second?.details.map((detail) => detail.kind === "tool-call" && [detail.name, detail.at, detail.ok]),
      [
        ["read", after(7_800), true],
        ["secrets.read", after(7_800), false],
      ],
    );
  });

  test("of a run that waits for its next try says when that is", () => {
    const attempts = [
      anAttemptRecord({ outcome: "retry", reason: "529", endedAt: after(2_600), nextTryAt: after(70_000) }),
    ];
    const run = { attempts: 1, startedAt: after(2_000), error: "529", nextTryAt: after(70_000) };
    const prompt = { at: after(2_000), characters: 5, texts: [] };
    const facts = timelineFacts({ runs: [unfinished(run, { attempts, prompt })] });
    assert.deepEqual(ofRun(facts).slice(2, 4), [
      "+0 ms failed Attempt 1: main on harbour-a, failed after 600 ms: 529, next try after 1 m 7 s",
      "to-come Attempt 2: at 12:05:21, in 10.0 s",
    ]);
  });

  test("of a wake is a note and when it was shown", () => {
    const request = aRequestRecord({ hook: "wake", runIds: [], eventIds: ["event-1"] });
    const shown = timelineFacts({ request, runs: [], events: [aNote({ shownAt: after(3_100) })] });
    assert.deepEqual(read(shown).slice(2), [
      "done Stored: note event-1",
      "+3.1 s done Note: shown to the main session after 3.1 s",
    ]);
    assert.equal(timelineOf(shown, aMinuteLater).status, "shown");
    const waiting = timelineFacts({ request, runs: [], events: [aNote()] });
    assert.equal(read(waiting).at(-1), "to-come Note: waits for the main session's next turn");
    const { status, endedAt, tookMs } = timelineOf(waiting, aMinuteLater);
    assert.deepEqual([status, endedAt, tookMs], ["waiting", null, 60_000]);
  });

  const nothing = [
    "none No run: nothing was stored but this request",
    "none No prompt: no agent saw it",
    "none No reply: nobody was told",
  ];

  test("of a skipped request ends at its decision", () => {
    const facts = unusedFacts({ outcome: "skipped", reason: 'issues: event was "push", wanted "issues"' });
    assert.deepEqual(read(facts).slice(1), [
      'done Decided: skipped: issues: event was "push", wanted "issues"',
      "done Answered: 204",
      ...nothing,
    ]);
  });

  test("of a refused request says why, how many others were, and what its caller heard", () => {
    const reason = "agent-not-allowed: agentId must be one of triage";
    assert.deepEqual(read(unusedFacts({ outcome: "refused", reason }, { others: 5 })).slice(1), [
      "failed Refused: agent-not-allowed: agentId must be one of triage, as 5 other requests",
      "done Answered: 400",
      ...nothing,
    ]);
    const bySender = unusedFacts({ outcome: "refused", reason, hook: "stripe", credential: "stripe" });
    assert.equal(
      read(bySender)[2],
      "done Answered: as if it were accepted, because senders switch off what answers 4xx",
    );
  });

  test("of a mapping that failed, and of a full queue", () => {
    const failed = read(unusedFacts({ outcome: "failed", reason: "the transform threw", mapping: "issues" }));
    assert.deepEqual(failed.slice(1, 3), [
      "failed Decided: issues took it, failed: the transform threw",
      "done Answered: 500",
    ]);
    assert.deepEqual(read(unusedFacts({ outcome: "full" })).slice(1, 3), [
      "failed Refused: too many runs are waiting",
      "done Answered: 503",
    ]);
  });

  test("of a repeated request names what the first one led to, and has no steps of its run", () => {
    const steps = read(unusedFacts({ outcome: "repeated", runIds: ["run-0"] }));
    assert.deepEqual(steps.slice(1, 4), [
      "done Decided: it has the key of an earlier request",
      "done Answered: with the first response again",
      "none No run: the first request led to run run-0",
    ]);
  });

  test("of a parked run says why it waits", () => {
    const run = {
      status: "parked",
      startedAt: after(10),
      error: "over its budget: 1,000 runs a day",
    } as const;
    const facts = timelineFacts({ runs: [unfinished(run)] });
    assert.deepEqual(ofRun(facts), [
      "now Waits: parked, over its budget: 1,000 runs a day",
      "to-come Prompt: to come",
      "to-come Attempt 1: to come",
      "to-come Reply: to come",
      "to-come Delivery: to come, on last",
      "to-come Summary: to come",
    ]);
    assert.equal(timelineOf(facts, aMinuteLater).status, "parked");
  });

  test("of a run that was cancelled before it started", () => {
    const run = { status: "cancelled", endedAt: after(7_200), error: "it was cancelled" } as const;
    const facts = timelineFacts({ runs: [unfinished(run, { summary: { id: "e", shownAt: null } })] });
    assert.deepEqual(ofRun(facts), [
      "waited Waited: until it ended without a start",
      "none No prompt: no agent saw it",
      "+7.2 s none No reply: the run was cancelled",
      "none No delivery: there is no reply to send",
      "to-come Summary: waits for the main session's next turn",
    ]);
  });

  test("of a run that was cancelled, and of one that timed out, while its agent worked", () => {
    const ended = (outcome: "cancelled" | "timed-out") =>
      ofRun(
        timelineFacts({
          runs: [
            runFacts({
              run: aRunRow({ status: outcome, reply: null, error: "why" }),
              attempts: [anAttemptRecord({ outcome, reason: "why" })],
              deliveries: [],
            }),
          ],
        }),
      ).slice(2, 5);
    assert.deepEqual(ended("cancelled"), [
      "+0 ms done Attempt 1: main on harbour-a, cancelled after 18.0 s",
      "+18.0 s none No reply: the run was cancelled",
      "none No delivery: there is no reply to send",
    ]);
    assert.deepEqual(ended("timed-out").slice(0, 2), [
      "+0 ms failed Attempt 1: main on harbour-a, timed out after 18.0 s",
      "+18.0 s none No reply: the run timed out",
    ]);
  });

  test("shows where a gateway stopped: the number of that attempt is missing", () => {
    const facts = timelineFacts({
      runs: [
        runFacts({
          run: aRunRow({ attempts: 3 }),
          attempts: [
            anAttemptRecord({
              outcome: "retry",
              reason: "r",
              endedAt: after(3_000),
              nextTryAt: after(4_000),
            }),
            anAttemptRecord({ number: 3, startedAt: after(15_000) }),
          ],
        }),
      ],
    });
    assert.deepEqual(ofRun(facts).slice(2, 5), [
      "+0 ms failed Attempt 1: main on harbour-a, failed after 1.0 s: r, tried again after 1.0 s",
      "+2.0 s failed Attempt 2: its gateway stopped before it ended",
      "+11.0 s done Attempt 3: main on harbour-a, 5.0 s",
    ]);
    const prompt = { at: after(2_000), characters: 1, texts: [] };
    const waiting = timelineFacts({
      runs: [unfinished({ attempts: 1, startedAt: after(2_000) }, { prompt })],
    });
    assert.deepEqual(ofRun(waiting).slice(2, 4), [
      "+0 ms failed Attempt 1: its gateway stopped before it ended",
      "to-come Attempt 2: to come",
    ]);
  });

  test("of a run from before attempts were kept has its last one from the run", () => {
    const one = ofRun(timelineFacts({ runs: [runFacts({ attempts: [] })] }));
    assert.equal(one[2], "+0 ms done Attempt 1: main, succeeded");
    const run = aRunRow({ attempts: 3, status: "failed", error: "exit code 1", reply: null });
    const third = ofRun(timelineFacts({ runs: [runFacts({ run, attempts: [], prompt: null })] }));
    assert.equal(
      third[2],
      "failed Attempt 3: main, failed, the last of 3, of which nothing is kept: exit code 1",
    );
    assert.equal(third[1], "none No prompt: it is not kept");
  });

  test("of a running one says what goes on and what is to come", () => {
    const request = aRunRequest({ timeoutSeconds: 600 });
    const run = {
      status: "running",
      attempts: 1,
      startedAt: after(2_000),
      lastLine: "3 of 7",
      request,
    } as const;
    const prompt = { at: after(2_010), characters: 1, texts: [] };
    const facts = timelineFacts({ runs: [unfinished(run, { prompt })] });
    assert.deepEqual(ofRun(facts, after(4_510)), [
      "waited Waited: 2.0 s for a slot",
      "+2.0 s done Prompt: no text from outside, 1 character",
      "+0 ms now Attempt 1: main is at work, for 2.5 s now",
      "to-come Reply: to come",
      "to-come Delivery: to come, on last",
      "to-come Summary: to come",
    ]);
    const step = timelineOf(facts, after(4_510)).steps.find(({ kind }) => kind === "attempt");
    assert.equal(step?.kind === "attempt" && step.facts.limitAt, after(602_010));
    assert.deepEqual(step?.details, [{ kind: "text", label: "last line", text: "3 of 7" }]);
  });

  test("says behind whom a run waits, and behind whom it has waited", () => {
    const running = { id: "run-0", status: "running", endedAt: null } as const;
    const waits = timelineFacts({ runs: [unfinished({ isolated: false }, { behind: running })] });
    assert.equal(ofRun(waits)[0], "now Waits: behind run-0 of the same conversation");
    const behind = { id: "run-0", status: "succeeded", endedAt: after(1_990) } as const;
    const waited = timelineFacts({ runs: [runFacts({ behind })] });
    assert.equal(ofRun(waited)[0], "waited Waited: 2.0 s behind run-0 of the same conversation");
    const long = timelineFacts({ runs: [runFacts({ behind: { ...behind, endedAt: after(-5) } })] });
    assert.equal(ofRun(long)[0], "waited Waited: 2.0 s for a slot");
  });

  test("of a run that was claimed as it was stored has no wait", () => {
    const prompt = { at: after(0), characters: 1, texts: [] };
    const facts = runFacts({
      run: aRunRow({ startedAt: after(0) }),
      attempts: [anAttemptRecord({ startedAt: after(0) })],
      prompt,
    });
    assert.equal(ofRun(timelineFacts({ runs: [facts] }))[0], "none No wait: a slot was free");
  });

  test("counts what was made visible in outside text", () => {
    const signals = { hiddenCharacters: 4, chatTokens: 1, fakeMarkers: 2, roleLabels: 1 };
    const texts = [
      { label: "issue.title", characters: 58 },
      { label: "issue.body", characters: 284 },
    ];
    const prompt = { at: after(2_000), characters: 1_894, texts };
    const facts = timelineFacts({ runs: [runFacts({ run: aRunRow({ signals }), prompt })] });
    assert.equal(
      ofRun(facts)[1],
      "+2.0 s done Prompt: 2 texts from outside, 4 hidden characters shown, 2 fake markers, 1 role label, 1 chat token, 1,894 characters",
    );
  });

  test("has each delivery with its state, and why there is none", () => {
    const ends = (...deliveries: Parameters<typeof aDeliveryRow>[0][]) =>
      ofRun(
        timelineFacts({
          runs: [runFacts({ deliveries: deliveries.map(aDeliveryRow), summary: { id: "e", shownAt: null } })],
        }),
      ).slice(4, -1);
    const failed = {
      status: "failed",
      error: "chat not found",
      endedAt: after(21_000),
      sentMessages: 0,
    } as const;
    assert.deepEqual(ends(failed, { id: "2", channel: "slack", to: "#ops", endedAt: after(22_000) }), [
      "+1.0 s failed Delivery: telegram, 12345, failed: chat not found",
      "+1.0 s done Delivered: slack, #ops, 1 message",
    ]);
    const waiting = { status: "waiting", endedAt: null, sentAt: null, sentMessages: 1 } as const;
    assert.deepEqual(ends({ ...waiting, error: "429", attempts: 2 }), [
      "now Delivery: telegram, 12345, tried 2 times so far: 429, 1 message",
    ]);
    const suppressed = { status: "suppressed", endedAt: null, sentAt: null } as const;
    assert.deepEqual(ends({ ...suppressed, error: "heartbeat acknowledgement" }), [
      "none No delivery: acknowledgement only",
    ]);
    assert.deepEqual(ends({ ...suppressed, to: null, channel: "last", error: "no channel is configured" }), [
      "none No delivery: on last: no channel is configured",
    ]);
    assert.deepEqual(ends({ status: "unknown", error: "no response" }), [
      "+900 ms failed Delivery: telegram, 12345, unknown: no response, 1 message",
    ]);
    const notAsked = runFacts({ run: aRunRow({ request: aRunRequest({ deliver: false }) }), deliveries: [] });
    assert.ok(ofRun(timelineFacts({ runs: [notAsked] })).includes("none No delivery: it was not asked for"));
  });

  test("of several runs has one sequence for each, and the status that most wants to be looked at", () => {
    const second = runFacts({
      run: aRunRow({ id: "run-2", status: "failed", reply: null, error: "exit code 1" }),
      attempts: [anAttemptRecord({ runId: "run-2", outcome: "failed", reason: "exit code 1" })],
    });
    const request = aRequestRecord({ runIds: ["run-1", "run-2", "run-3"] });
    const timeline = timelineOf(timelineFacts({ request, runs: [runFacts(), second] }), aMinuteLater);
    assert.equal(readable(timeline.steps[2]!), "done Stored: 3 runs, 1 of them not shown here");
    const kinds = (id: string) => timeline.steps.filter(({ runId }) => runId === id).map(({ kind }) => kind);
    assert.deepEqual(kinds("run-1"), kinds("run-2"));
    assert.equal(kinds("run-2")[0], "waited");
    assert.equal(timeline.status, "failed");
  });

  test("links a request, its replays, and the runs that were made again", () => {
    const replay = aRequestRecord({ id: "request-2", replayOf: "request-1", createdAt: after(900_000) });
    assert.equal(
      read(timelineFacts({ replays: [replay] })).at(-1),
      "done Replayed: through the present configuration as request request-2, accepted",
    );
    assert.match(
      read(timelineFacts({ request: { ...replay, origin: "replay" } }))[0]!,
      /a replay of request-1/,
    );
    const retry = { id: "run-8", status: "running", createdAt: after(30_000) } as const;
    const facts = runFacts({ run: aRunRow({ retriedAs: "run-8" }), retry });
    assert.equal(
      ofRun(timelineFacts({ runs: [facts] })).at(-1),
      "+7.0 s done Retried: by an operator as run run-8, running",
    );
  });

  test("of a mail says so, and of a run without a kept request that there is none", () => {
    const arrival = anArrival({ method: null, target: null, address: null, bytes: 8_123 });
    const mail = timelineFacts({
      request: aRequestRecord({ origin: "mail", arrival, credential: "gmail", hook: "gmail" }),
    });
    assert.equal(read(mail)[0], "done Received: a mail, 8.1 KB");
    assert.equal(read(timelineFacts({ request: null }))[0], "none Received: its request is not kept");
    const named = aRunRow({ request: aRunRequest({ credential: "ci" }) });
    const ofToken = read(timelineFacts({ request: null, runs: [runFacts({ run: named })] }));
    assert.equal(ofToken[0], "none Received: its request is not kept, token ci");
    const heartbeat = runFacts({ run: aRunRow({ kind: "heartbeat" }), deliveries: [], summary: null });
    const steps = read(timelineFacts({ request: null, runs: [heartbeat] }));
    assert.equal(steps[0], "none Received: a heartbeat of the main session, asked for by Rouse");
    assert.ok(steps.includes("none No summary: a heartbeat is the main session's own turn"));
    assert.ok(steps.includes("none No delivery: it had nothing to tell"));
  });

  test("puts no step before the one above it, whatever the clocks said", () => {
    const attempts = [anAttemptRecord({ startedAt: after(-5_000), endedAt: after(-4_000) })];
    const facts = timelineFacts({ runs: [runFacts({ attempts })] });
    for (const step of timelineOf(facts, aMinuteLater).steps) assert.ok((step.sinceMs ?? 0) >= 0);
  });
});
