import assert from "node:assert/strict";
import test from "node:test";
import { stripVTControlCharacters } from "node:util";
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
} from "../../../test/builders/timeline.ts";
import { anArrival } from "../../../test/builders/acceptance.ts";
import { aMessage, aRunRequest } from "../../../test/builders/run.ts";
import { createTestContext } from "../../../test/fixtures/command-line.ts";
import type { TimelineFacts } from "../../timeline/facts.ts";
import { timelineResource } from "../../timeline/resource.ts";
import { timelineOf } from "../../timeline/timeline.ts";
import type { Context } from "../command.ts";
import { printJson } from "../terminal/output.ts";
import { widthOf } from "../terminal/text.ts";
import { printTimeline } from "./print.ts";
import { printDelivery, printEvent } from "./show-item.ts";

const now = after(60_000);

function printed(facts: TimelineFacts, more: Partial<Context> = {}, isFull = false): string {
  const { context, written } = createTestContext([], more);
  printTimeline(context, timelineOf(facts, now), { isFull, headers: isFull });
  return written.stdout;
}

const retried = runFacts({
  run: aRunRow({ attempts: 2 }),
  attempts: [
    anAttemptRecord({
      outcome: "retry",
      reason: "529 overloaded",
      endedAt: after(2_600),
      nextTryAt: after(7_600),
    }),
    anAttemptRecord({
      number: 2,
      startedAt: after(7_700),
      toolCalls: [aToolCall({ input: "src/zones.ts" }), aToolCall({ name: "secrets.read", ok: false })],
    }),
  ],
});
const decision = {
  mappings: [
    {
      id: "github-issues",
      takes: true,
      reason: null,
      filters: [{ field: "event", wanted: '"issues"', met: '"issues"', holds: true }],
    },
  ],
  policy: { allowed: true, reason: null },
};

test("a timeline is a table of steps with clock, time between, title and a sentence", () => {
  const request = aRequestRecord({ hook: "github", mapping: "github-issues", decision });
  const nextDay = aRequestRecord({ id: "request-2", createdAt: after(86_400_000) });
  assert.equal(
    printed(timelineFacts({ request, runs: [retried], replays: [nextDay] })),
    `request request-1, run run-1, succeeded
hook github, "Test", agent main
2026-11-20, times in UTC, took 20.9 s: waited 2.0 s, worked 12.3 s, failed 600 ms, paused 5.1 s, sending 900 ms

12:04:11.204            ✓  Received    POST /hooks/agent, 127.0.0.1, 2 bytes
                        ✓  Decided     github-issues took it, 1 of 1 filter true, policy allows it
                             github-issues  took it  ✓ event met "issues", wanted "issues"
                             policy         allowed
                        ✓  Stored      run run-1
                        ·  Waited      2.0 s for a slot
12:04:13.204    +2.0 s  ✓  Prompt      1 text from outside, 800 characters
                        ✗  Attempt 1   main on harbour-a, failed after 600 ms: 529 overloaded, tried again after 5.0 s
12:04:18.904    +5.7 s  ✓  Attempt 2   main on harbour-a, 12.3 s, 2 tool calls, 1 of them failed
                             read          ok      41 ms  src/zones.ts
                             secrets.read  failed  41 ms
12:04:31.204   +12.3 s  ✓  Reply       11 characters
                             | It is done.
12:04:32.104   +900 ms  ✓  Delivered   telegram, 12345, 1 message
12:04:34.204    +2.1 s  ✓  Summary     shown to the main session
2026-11-21
12:04:11.204            ✓  Replayed    through the present configuration as request request-2, accepted
`,
  );
});

test("several runs have a heading each", () => {
  const second = unfinished({ id: "run-2", status: "parked", error: "over its budget" });
  const request = aRequestRecord({ runIds: ["run-1", "run-2"] });
  const text = printed(timelineFacts({ request, runs: [retried, second] }));
  assert.match(
    text,
    /^request request-1, parked\nhook agent, 2 runs\n2026-11-20, times in UTC, 1 m so far\n\n/,
  );
  assert.match(text, /\n\nrun run-1, succeeded, "Test", agent main\n {24}· {2}Waited/);
  assert.match(
    text,
    /\n\nrun run-2, parked, "Test", agent main\n {24}▸ {2}Waits {7}parked, over its budget\n/,
  );
});

test("on a terminal nothing is wider than it, and colours are as everywhere", () => {
  const long = "a long sentence of many words, and one without-any-space-in-it-at-all ".repeat(5);
  const facts = timelineFacts({
    request: aRequestRecord({
      decision,
      credential: "ci",
      arrival: anArrival({ target: `/hooks/${"x".repeat(99)}` }),
    }),
    runs: [runFacts({ run: aRunRow({ reply: `${long}\n日本語${long}` }) })],
  });
  for (const columns of [40, 60, 80, 120, 200]) {
    const coloured = printed(facts, { isTerminal: true, columns });
    const plain = stripVTControlCharacters(coloured);
    for (const line of plain.split("\n").slice(4)) assert.ok(widthOf(line) <= columns, `${columns}: ${line}`);
    assert.notEqual(coloured, plain);
    assert.equal(printed(facts, { isTerminal: true, columns, env: { NO_COLOR: "1" } }), plain);
  }
});

test("a long reply is cut in the request's timeline, and whole in full", () => {
  const reply = Array.from({ length: 40 }, (_, at) => `line ${at}`).join("\n");
  const headers = { "user-agent": "curl/8" };
  const facts = timelineFacts({
    request: aRequestRecord({ arrival: anArrival({ headers }) }),
    runs: [runFacts({ run: aRunRow({ reply }) })],
  });
  assert.match(printed(facts), /\| line 11\n +28 more lines: rouse runs show\n/);
  assert.doesNotMatch(printed(facts), /user-agent/);
  assert.match(printed(facts, {}, true), /\| line 39\n/);
  assert.match(printed(facts, {}, true), /Received [^]*\n +user-agent +curl\/8\n/);
});

const hidden = "\u001b[2J\u0007\u009b31m\u202e\u2066\u200b\u2028\ud800\r";
const hostile = `x${hidden}y`;
const noHidden = /[^\n\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

test("no field of outside text shows anything hidden on a terminal", () => {
  const filter = { field: hostile, wanted: hostile, met: hostile, holds: false };
  const request = aRequestRecord({
    hook: hostile,
    credential: hostile,
    mapping: hostile,
    arrival: {
      ...anArrival({ method: hostile, target: hostile, address: hostile, event: hostile, delivery: hostile }),
      headers: { [hostile]: hostile },
    },
    decision: {
      mappings: [{ id: hostile, takes: false, reason: hostile, filters: [filter] }],
      policy: { allowed: false, reason: hostile },
    },
  });
  const call = aToolCall({ name: hostile, input: hostile, output: hostile, ok: false });
  const attempt = anAttemptRecord({ node: hostile, outcome: "failed", reason: hostile, toolCalls: [call] });
  const report = {
    inputTokens: 0,
    outputTokens: 0,
    cost: 0,
    warnings: [hostile, `${hostile}\n${hostile}`],
    toolsGranted: [hostile],
    toolsUsed: [hostile],
  };
  const named = { request: aRunRequest({ name: hostile, channel: hostile, to: hostile }), agentId: hostile };
  const ended = runFacts({
    run: aRunRow({ ...named, reply: hostile, error: hostile, sessionKey: hostile, isolated: false, report }),
    attempts: [attempt],
    deliveries: [
      aDeliveryRow({ channel: hostile, to: hostile, error: hostile, status: "failed" }),
      aDeliveryRow({ id: "2", channel: hostile, error: hostile, status: "waiting" }),
    ],
  });
  const running = unfinished({
    ...named,
    id: "r",
    status: "running",
    startedAt: after(1),
    attempts: 1,
    lastLine: hostile,
  });
  const parked = unfinished({ ...named, id: "p", status: "parked", error: hostile });
  const failed = runFacts({
    run: aRunRow({ ...named, id: "f", status: "failed", reply: null, error: hostile }),
    attempts: [],
  });
  const all = timelineFacts({ request, runs: [ended, running, parked, failed], events: [aNote()] });
  const refused = unusedFacts({ ...request, outcome: "refused", reason: hostile, runIds: [] });
  for (const facts of [all, refused, timelineFacts({ request: null, runs: [ended] })])
    for (const columns of [40, 100, null]) {
      const text = printed(facts, { columns }, true);
      assert.doesNotMatch(text, noHidden);
      assert.match(text, /x\[2J/);
    }
  const { context, written } = createTestContext([], { columns: 80 });
  printJson(context, timelineResource(timelineOf(all, now)));
  printEvent(context, aNote({ text: aMessage(hostile), hook: hostile, sessionKey: hostile }));
  printDelivery(context, aDeliveryRow({ channel: hostile, to: hostile, error: hostile, text: hostile }));
  for (const character of ["\u001b", "\u0007", "\u009b", "\u202e", "\u2066", "\u2028", "\r"])
    assert.ok(!written.stdout.includes(character), JSON.stringify(character));
});

test("a note and a delivery are read as what they are", () => {
  const { context, written } = createTestContext([], { columns: 80 });
  printEvent(context, aNote({ shownAt: after(3_100) }));
  printDelivery(
    context,
    aDeliveryRow({ fallback: { channel: "slack", to: null }, status: "failed", error: "no chat" }),
  );
  assert.equal(
    written.stdout,
    `event event-1, shown
what      note of a wake, hook wake, session main
stored    2026-11-20 12:04:11.204 UTC
shown     2026-11-20 12:04:14.304 UTC, after 3.1 s
request   request-1

| the build is red
delivery delivery-1, failed
to        12345 on telegram
run       run-1
stored    2026-11-20 12:04:31.204 UTC
ended     2026-11-20 12:04:32.104 UTC, after 900 ms
tried     1 time
sent      1 message known to be sent
reason    no chat
fallback  the default recipient on slack

| It is done.
`,
  );
});
