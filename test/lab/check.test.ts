// The judge of the lab must find each violation: a good round, and the same round broken in every known way.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Delivery } from "../../src/core/delivery.ts";
import { outsideMessage } from "../../src/core/message.ts";
import type { RequestOutcome, RequestRecord } from "../../src/core/request.ts";
import type { Run } from "../../src/core/run.ts";
import type { EventSource, SystemEvent } from "../../src/core/system-event.ts";
import { fence } from "../../src/untrusted/fence.ts";
import { cells } from "./cells.ts";
import { tallyOf, violationsIn } from "./check.ts";
import type { ClientRequest, Histories, Note, Received, ReceivedResult, Turn } from "./history.ts";

const [first, second, single] = ["1", "2", "3"].map(
  (digit) => `01a1e73e-ec0${digit}-712d-9f8a-fac9fb0699ba`,
) as [string, string, string];
const text = (written: string) => outsideMessage("text", "request", written);

const request = (order: number, more: Partial<ClientRequest>): ClientRequest => ({
  marker: `m-1-${order}-`,
  hook: "agent",
  sessionKey: null,
  order,
  key: `key-${order}`,
  chat: null,
  responses: [],
  ...more,
});
const response = (body: Record<string, unknown>, replayed = false) => ({
  at: 0,
  life: "a.1",
  status: 202,
  body,
  replayed,
});

const run = (id: string, order: number, sessionKey: string, attempt: string): Run =>
  ({
    id,
    requestId: `q-${id}`,
    sessionKey,
    status: "succeeded",
    endedAt: 1,
    error: null,
    reply: `${id}/${attempt}/0 word\n\n${id}/${attempt}/1 word`,
    request: {
      name: `m-1-${order}-`,
      message: text(`m-1-${order}-`),
      callback: id === single ? { name: "lab", to: null } : null,
    },
  }) as Run;

const turn = (runId: string, attempt: string, startedAt: number, more: Partial<Turn> = {}): Turn => ({
  attempt,
  runId,
  sessionKey: "lab:1:0",
  life: "a.1",
  startedAt,
  endedAt: startedAt + 50,
  replied: true,
  prompt: "",
  reminded: [],
  ...more,
});

const held = (life: string, id: string, lease: string, from: number): Note => ({
  kind: "held",
  life,
  id,
  lease,
  from,
  at: from + 5,
  until: from + 1000,
});
const released = (life: string, id: string, lease: string, from: number): Note => ({
  kind: "released",
  life,
  id,
  lease,
  from,
  at: from + 5,
  sure: true,
  ended: true,
});
const booked = (life: string, lease: string, sentMessages: number, at: number): Note => ({
  kind: "booked",
  life,
  id: "delivery",
  lease,
  from: at - 5,
  at,
  sentMessages,
});

const message = (attempt: string, part: number, at: number, life: string): Received => ({
  at,
  life,
  chat: "11",
  runId: first,
  attempt,
  part,
});

const resultOf = (runId: string, reply: string): ReceivedResult => ({
  at: 300,
  life: "b.1",
  webhookId: `${runId}.end`,
  isSigned: true,
  status: "succeeded",
  reply,
});

const aSent = (delivery: Partial<Delivery>): Delivery =>
  ({ status: "sent", error: null, ...delivery }) as Delivery;

const event = (id: string, source: EventSource, written: string): SystemEvent =>
  ({ id, requestId: `q-${id}`, source, text: text(written), shownAt: 1 }) as SystemEvent;

const keptRequest = (
  id: string,
  outcome: RequestOutcome,
  runIds: readonly string[],
  eventIds: readonly string[],
): RequestRecord => ({ id, outcome, runIds, eventIds }) as RequestRecord;

/**
 * Two runs of a conversation, the first of which delivers, a run of its own and a wake that had a twin. The node a.1 is
 * killed in the first turn, which starts again on b.1; b.1 then sends a message twice, because c.1 takes over.
 */
function good(): Histories {
  const beat = [`m-1-0-`, `m-1-1-`, `m-1-2-`, `m-1-3-`].map((marker, at) =>
    fence("0".repeat(32), { id: at + 1, label: "text", text: marker }),
  );
  return {
    cell: cells.find((cell) => cell.nodes === 3 && cell.fault === "kill" && cell.point === "running")!,
    requests: [
      request(0, { sessionKey: "lab:1:0", chat: "11", responses: [response({ runId: first })] }),
      request(1, { sessionKey: "lab:1:0", responses: [response({ runId: second })] }),
      request(2, { key: null, responses: [response({ runId: single })] }),
      request(3, {
        hook: "wake",
        responses: [response({ eventId: "wake" }), response({ eventId: "wake" }, true)],
      }),
    ],
    turns: [
      turn(first, "1", 100, { endedAt: 200, replied: false }),
      turn(first, "2", 1150, { life: "b.1" }),
      turn(second, "3", 1300, { life: "b.1", reminded: [`${first}/2`] }),
      turn(single, "4", 110, { life: "b.1", sessionKey: `hook:${single}` }),
      turn("beat", "5", 2000, { life: "b.1", sessionKey: "main", prompt: beat.join("\n\n") }),
    ],
    results: [resultOf(single, `${single}/4/0 word\n\n${single}/4/1 word`)],
    received: [message("2", 0, 1400, "b.1"), message("2", 0, 2600, "c.1"), message("2", 1, 2610, "c.1")],
    notes: [
      held("a.1", first, "l1", 90),
      held("b.1", first, "l2", 1120),
      released("b.1", first, "l2", 1210),
      held("b.1", second, "l3", 1250),
      released("b.1", second, "l3", 1360),
      held("b.1", single, "l4", 105),
      released("b.1", single, "l4", 170),
      held("b.1", "beat", "l5", 1990),
      released("b.1", "beat", "l5", 2060),
      held("b.1", "delivery", "l6", 1390),
      held("c.1", "delivery", "l7", 2595),
      booked("c.1", "l7", 1, 2605),
      booked("c.1", "l7", 2, 2615),
      released("c.1", "delivery", "l7", 2612),
    ],
    lives: [
      { name: "a.1", diedAt: 200 },
      { name: "b.1", diedAt: null },
      { name: "c.1", diedAt: null },
    ],
    victim: "a.1",
    runs: [
      run(first, 0, "lab:1:0", "2"),
      run(second, 1, "lab:1:0", "3"),
      run(single, 2, `hook:${single}`, "4"),
    ],
    events: [
      event("wake", "wake", "m-1-3-"),
      event("s0", "summary", "Hook m-1-0-: done"),
      event("s1", "summary", "Hook m-1-1-: done"),
      event("s2", "summary", "Hook m-1-2-: done"),
    ],
    kept: [
      ...[first, second, single].map((id) => keptRequest(`q-${id}`, "accepted", [id], [])),
      keptRequest("q-wake", "accepted", [], ["wake"]),
      keptRequest("q-again", "repeated", [], ["wake"]),
    ],
    deliveries: [
      aSent({ id: "delivery", runId: first, channel: "telegram", to: "11", sentMessages: 2 }),
      aSent({ id: "result", runId: single, channel: "callback:lab", to: single, sentMessages: 1 }),
    ],
    troubles: [],
  };
}

test("a good round has no violations, and doubled turns and messages are counted", () => {
  assert.deepEqual(violationsIn(good()), []);
  assert.deepEqual(tallyOf(good()), { requests: 4, runs: 3, doubledTurns: 1, doubledMessages: 1 });
});

const changed = <T>(list: readonly T[], at: number, more: Partial<T>): T[] =>
  list.map((each, index) => (index === at ? { ...each, ...more } : each));
const without = <T>(list: readonly T[], at: number): T[] => list.filter((_, index) => index !== at);

type Doctor = (round: Histories) => Partial<Histories>;
const broken: Record<string, Doctor> = {
  "which is not stored": ({ runs }) => ({ runs: without(runs, 2) }),
  "is stored 2 times": ({ runs }) => ({ runs: [...runs, { ...runs[2]!, id: "other" }] }),
  "is answered, and its request is not kept": ({ kept }) => ({ kept: without(kept, 2) }),
  "is kept as accepted 2 times": ({ kept }) => ({ kept: [...kept, { ...kept[0]!, id: "other" }] }),
  "does not name its request": ({ runs }) => ({ runs: changed(runs, 1, { requestId: null }) }),
  "was replayed 1 times, 0 of them are kept": ({ kept }) => ({ kept: without(kept, 4) }),
  "never got a response": ({ requests }) => ({ requests: changed(requests, 1, { responses: [] }) }),
  "got 2 different responses": ({ requests }) => ({
    requests: changed(requests, 3, {
      responses: [response({ eventId: "wake" }), response({ eventId: "x" }, true)],
    }),
  }),
  "was accepted as new 2 times": ({ requests }) => ({
    requests: changed(requests, 3, {
      responses: [response({ eventId: "wake" }), response({ eventId: "wake" })],
    }),
  }),
  "never ended: it is running": ({ runs }) => ({
    runs: changed(runs, 0, { endedAt: null, status: "running" }),
  }),
  "ended as failed": ({ runs }) => ({ runs: changed(runs, 0, { status: "failed" }) }),
  "a reply that no attempt gave": ({ runs }) => ({ runs: changed(runs, 0, { reply: `${first}/1/0 word` }) }),
  "has 0 summaries": ({ events }) => ({ events: without(events, 2) }),
  "has 2 summaries": ({ events }) => ({ events: [...events, { ...events[1]!, id: "again" }] }),
  "was never shown": ({ events }) => ({ events: changed(events, 0, { shownAt: null }) }),
  "but was in no turn": ({ turns }) => ({ turns: changed(turns, 4, { replied: false }) }),
  "started in lab:1:0 beside": ({ turns }) => ({
    turns: [...turns.slice(0, 1), ...changed(turns.slice(1), 0, { endedAt: 1310 })],
    notes: good().notes.filter(
      ({ kind, ...note }) => !(kind === "released" && "id" in note && note.id === first),
    ),
  }),
  "was started again beside": ({ turns }) => ({ turns: changed(turns, 1, { startedAt: 1000 }) }),
  "was started without a claim": ({ notes }) => ({ notes: without(notes, 0) }),
  "claimed after its run had ended": ({ turns, notes }) => ({
    turns: [...turns, turn(single, "6", 500, { life: "c.1", sessionKey: `hook:${single}` })],
    notes: [...notes, held("c.1", single, "l8", 490)],
  }),
  "started in lab:1:0, request 0 came after request 1": ({ turns }) => ({
    turns: [turns[2]!, ...without(turns, 2)],
  }),
  "stored in lab:1:0, request 0 came after request 1": ({ runs }) => ({
    runs: [runs[1]!, runs[0]!, runs[2]!],
  }),
  "was reminded of": ({ turns }) => ({ turns: changed(turns, 2, { reminded: [] }) }),
  "has 0 deliveries, not 1": () => ({ deliveries: [] }),
  "has 2 deliveries, not 1": ({ deliveries }) => ({ deliveries: [...deliveries, deliveries[0]!] }),
  "is unknown (null), 1 messages sent": ({ deliveries }) => ({
    deliveries: changed(deliveries, 0, { status: "unknown", sentMessages: 1 }),
  }),
  "message 1 is undefined in place of": ({ received }) => ({ received: received.slice(0, 2) }),
  "message 0 is": ({ received }) => ({ received: received.toReversed() }),
  "although it was stored as sent": ({ notes }) => ({
    notes: [...notes, booked("b.1", "l6", 1, 1450)],
  }),
  "by c.1 without a claim": ({ notes }) => ({
    notes: notes.filter((note) => !(note.kind === "held" && note.lease === "l7")),
  }),
  "while b.1 still had it": ({ received }) => ({ received: changed(received, 1, { at: 2000 }) }),
  [`a.1 has released ${first} after b.1`]: ({ notes }) => ({
    notes: [...notes, released("a.1", first, "l1", 1180)],
  }),
  [`a.1 has started ${first} after b.1`]: ({ notes }) => ({
    notes: [...notes, { kind: "started", life: "a.1", id: first, lease: "l1", from: 1180, at: 1185 }],
  }),
  [`a.1 has held ${first} after b.1`]: ({ notes }) => ({
    notes: [...notes, held("a.1", first, "l1", 1180)],
  }),
  "b.1 has booked delivery after c.1": ({ notes }) => ({ notes: [...notes, booked("b.1", "l6", 1, 2700)] }),
  "no node came to the point": () => ({ victim: null }),
  "no process ended": ({ lives }) => ({ lives: changed(lives, 0, { diedAt: null }) }),
  "the store was never away": ({ cell }) => ({ cell: { ...cell, fault: "cut" } }),
  "no run succeeded": () => ({ runs: [] }),
  "no conversation went on": ({ turns }) => ({ turns: changed(turns, 2, { reminded: [] }) }),
  "no wake was taken": ({ requests }) => ({ requests: without(requests, 3) }),
  "hardly a request was taken": ({ requests }) => ({
    requests: requests.map((each) => ({ ...each, responses: [] })),
  }),
  "no message arrived": () => ({ received: [] }),
  "no result arrived": () => ({ results: [] }),
  "is stored as sent, and never arrived": () => ({ results: [] }),
  "and its result is not stored": ({ deliveries }) => ({ deliveries: without(deliveries, 1) }),
  "has 2 results": ({ deliveries }) => ({ deliveries: [...deliveries, deliveries[1]!] }),
  "has a result that nobody asked for": ({ deliveries }) => ({
    deliveries: [...deliveries, { ...deliveries[1]!, runId: first }],
  }),
  "is unknown (why)": ({ deliveries }) => ({
    deliveries: changed(deliveries, 1, { status: "unknown", error: "why" }),
  }),
  "is not signed": ({ results }) => ({ results: changed(results, 0, { isSigned: false }) }),
  "says failed, and the run is succeeded": ({ results }) => ({
    results: changed(results, 0, { status: "failed" }),
  }),
  "is of no run that has one": ({ results }) => ({ results: [...results, resultOf(first, "")] }),
  "no twin was known again": ({ requests }) => ({
    requests: changed(requests, 3, { responses: [response({ eventId: "wake" })] }),
  }),
  "something went wrong": () => ({ troubles: ["something went wrong"] }),
};

for (const [violation, doctor] of Object.entries(broken)) {
  test(`the judge sees it: ${violation}`, () => {
    const round = good();
    const found = violationsIn({ ...round, ...doctor(round) });
    assert.ok(
      found.some((each) => each.includes(violation)),
      JSON.stringify(found),
    );
  });
}

test("a lease ends with its process on an embedded store, but not on a shared one", () => {
  const round = good();
  const turns = changed(round.turns, 1, { startedAt: 300 });
  const early = (store: "sqlite" | "postgres") =>
    violationsIn({ ...round, turns, cell: { ...round.cell, store } }).filter((each) =>
      each.includes("started again beside"),
    );
  assert.equal(early("postgres").length, 1);
  assert.deepEqual(early("sqlite"), []);
});

test("a starved process that starts a run after its lease is no violation, but a doubled turn", () => {
  const round = good();
  const late = turn(first, "7", 1170, { life: "a.1" });
  const starved = { ...round, turns: [...round.turns.slice(0, 2), late, ...round.turns.slice(2)] };
  assert.deepEqual(violationsIn({ ...starved, turns: starved.turns.slice(1), victim: "a.1" }), []);
  assert.equal(tallyOf(starved).doubledTurns, 2);
});
