import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Live, LiveEvent } from "../core/live.ts";
import type { RunState } from "../core/result.ts";
import type { Run } from "../core/run.ts";
import { aClaimedRun } from "../../test/builders/run.ts";
import { createFakeClock, eventually } from "../../test/fakes/clock.ts";
import { serveExchanges } from "../../test/fixtures/exchange-server.ts";
import { type EventReader, readEvents } from "../../test/support/events.ts";
import { createStreams, type StreamRequest } from "./stream.ts";
import type { RunListener } from "./watch.ts";

/** What agents tell on this node: one attempt at a time. */
function createFakeLive(): Live & { listening(): number } {
  let text = "";
  let isRunning = false;
  const listeners = new Set<(event: LiveEvent) => void>();
  return {
    begin() {
      isRunning = true;
      text = "";
    },
    tell(_, event) {
      if (event.kind === "delta") text += event.text;
      for (const heard of listeners) heard(event);
    },
    end() {
      isRunning = false;
      listeners.clear();
    },
    listen(_, heard) {
      if (!isRunning) return null;
      listeners.add(heard);
      return { text, stop: () => void listeners.delete(heard) };
    },
    listening: () => listeners.size,
  };
}

/** One run, whose watch a test plays. */
async function createScene(t: TestContext, { most = 10 }: { most?: number } = {}) {
  const clock = createFakeClock();
  const live = createFakeLive();
  const listeners = new Set<RunListener>();
  const run = aClaimedRun({ status: "queued", attempts: 0 });
  let request: StreamRequest = { run, access: "reply", isResumed: false, onClose: () => void closed++ };
  let closed = 0;
  const refused: number[] = [];
  const streams = createStreams({
    clock,
    live,
    mostStreams: () => most,
    watch: {
      add(_, listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
  });
  const { url, connect } = await serveExchanges(t, (exchange) => {
    if (streams.open(exchange, request)) return;
    refused.push(1);
    exchange.response.writeHead(503).end();
  });
  const readers: EventReader[] = [];
  t.after(() => readers.forEach((reader) => reader.close()));
  return {
    clock,
    live,
    run,
    streams,
    connect,
    closed: () => closed,
    watching: () => listeners.size,
    async open(parts: Partial<StreamRequest> = {}): Promise<EventReader> {
      request = { ...request, ...parts };
      const reader = await readEvents(url);
      readers.push(reader);
      return reader;
    },
    change(status: RunState["status"], attempts: number) {
      for (const each of listeners) each.changed({ id: run.id, status, attempts });
    },
    gone() {
      for (const each of listeners) each.gone();
    },
    end(parts: Partial<Run> = {}) {
      const ended: Run = { ...run, status: "succeeded", attempts: 1, reply: "done", endedAt: 1000, ...parts };
      for (const each of listeners) each.ended(ended);
    },
  };
}

const stateOf = (run: RunState, id: number, status: string, attempts: number) => ({
  id: String(id),
  event: "run",
  data: { runId: run.id, status, attempts },
});

const delta = (text: string) => ({ id: undefined, event: "delta", data: { text } });
const snapshot = (text: string) => ({ id: undefined, event: "snapshot", data: { text } });

test("the state now, what the agent tells, the end; then it is closed", async (t) => {
  const { open, run, change, live, end, closed, watching } = await createScene(t);
  const reader = await open();
  assert.equal(reader.headers.get("content-type"), "text/event-stream");
  assert.equal(reader.headers.get("cache-control"), "no-store");
  assert.equal(reader.headers.get("x-accel-buffering"), "no");
  assert.deepEqual(await reader.next(), stateOf(run, 1, "queued", 0));
  live.begin(run.id);
  change("running", 1);
  assert.deepEqual(await reader.next(), stateOf(run, 3, "running", 1));
  live.tell(run.id, { kind: "delta", text: "The build" });
  live.tell(run.id, { kind: "tool", name: "read", state: "started", ms: null, ok: null });
  live.tell(run.id, { kind: "tool", name: "read", state: "ended", ms: 41, ok: true });
  live.tell(run.id, { kind: "delta", text: " is broken\n\ndata: x" });
  assert.deepEqual(await reader.next(), delta("The build"));
  const tool = { name: "read", state: "started", ms: null, ok: null };
  assert.deepEqual(await reader.next(), { id: undefined, event: "tool", data: tool });
  assert.deepEqual((await reader.next())?.data, { name: "read", state: "ended", ms: 41, ok: true });
  assert.deepEqual(await reader.next(), delta(" is broken\n\ndata: x"));
  live.end(run.id);
  end();
  const [last, ...more] = await reader.rest();
  assert.deepEqual([last?.event, last?.id, last?.data["reply"], more], ["end", "4", "done", []]);
  await eventually(() => closed() === 1 && watching() === 0);
});

test("who may read only the status hears states and that tools are called, and no word of the agent", async (t) => {
  const { open, run, live, end } = await createScene(t);
  live.begin(run.id);
  live.tell(run.id, { kind: "delta", text: "secret" });
  const reader = await open({
    access: "status",
    run: { ...run, status: "running", attempts: 1 },
    isResumed: true,
  });
  assert.deepEqual(await reader.next(), stateOf(run, 3, "running", 1));
  live.tell(run.id, { kind: "delta", text: "secret" });
  live.tell(run.id, { kind: "tool", name: "secret", state: "ended", ms: 5, ok: false });
  end({ reply: "secret", error: "secret" });
  const [tool, last] = await reader.rest();
  assert.deepEqual(tool, { id: undefined, event: "tool", data: { state: "ended", ms: 5, ok: false } });
  assert.equal(last?.event, "end");
  assert.doesNotMatch(JSON.stringify(last), /secret|"reply"|"error"/);
});

test("who comes late, or again, gets what was told before as one snapshot", async (t) => {
  const { open, run, live } = await createScene(t);
  const running: RunState = { ...run, status: "running", attempts: 1 };
  live.begin(run.id);
  const first = await open({ run: running });
  assert.equal((await first.next())?.event, "run");
  const again = await open({ run: running, isResumed: true });
  assert.equal((await again.next())?.event, "run");
  assert.deepEqual(await again.next(), snapshot(""), "what it has is void");
  live.tell(run.id, { kind: "delta", text: "The build" });
  assert.deepEqual(await first.next(), delta("The build"), "nothing was told before it came");
  const late = await open({ run: running, isResumed: false });
  assert.equal((await late.next())?.event, "run");
  assert.deepEqual(await late.next(), snapshot("The build"));
  live.tell(run.id, { kind: "delta", text: " is broken" });
  assert.deepEqual(await again.next(), delta("The build"));
  for (const reader of [again, first, late]) assert.deepEqual(await reader.next(), delta(" is broken"));
});

test("an attempt that begins later than its state says is found", async (t) => {
  const { open, run, live, clock, end } = await createScene(t);
  const reader = await open({ run: { ...run, status: "running", attempts: 1 } });
  assert.equal((await reader.next())?.event, "run");
  await clock.advance(40);
  live.begin(run.id);
  live.tell(run.id, { kind: "delta", text: "early" });
  await clock.advance(10);
  assert.deepEqual(await reader.next(), snapshot("early"));
  end();
  assert.equal((await reader.rest()).length, 1);
});

test("another attempt is followed from its beginning", async (t) => {
  const { open, run, live, change, end } = await createScene(t);
  live.begin(run.id);
  const reader = await open({ run: { ...run, status: "running", attempts: 1 } });
  live.tell(run.id, { kind: "delta", text: "first" });
  live.end(run.id);
  change("queued", 1);
  live.begin(run.id);
  change("running", 2);
  live.tell(run.id, { kind: "delta", text: "second" });
  end({ attempts: 2 });
  assert.deepEqual(
    (await reader.rest()).map(({ event, id, data }) => [event, id, data["text"] ?? data["status"]]),
    [
      ["run", "3", "running"],
      ["delta", undefined, "first"],
      ["run", "5", "queued"],
      ["run", "7", "running"],
      ["delta", undefined, "second"],
      ["end", "8", "succeeded"],
    ],
  );
  assert.equal(live.listening(), 0);
});

test("a run that has ended before: its state and its end", async (t) => {
  const { open, run, watching } = await createScene(t);
  const ended: Run = { ...run, status: "failed", attempts: 1, error: "no space", endedAt: 1 };
  const events = await (await open({ run: ended })).rest();
  assert.deepEqual(
    events.map(({ event, id, data }) => [event, id, data["status"]]),
    [
      ["run", "4", "failed"],
      ["end", "4", "failed"],
    ],
  );
  assert.equal(watching(), 0);
});

test("a comment is sent every 15 seconds", async (t) => {
  const { open, clock, end } = await createScene(t);
  const reader = await open();
  for (let times = 0; times < 3; times++) await clock.advance(15_000);
  end();
  await reader.rest();
  assert.equal(reader.comments.length, 3);
  await eventually(() => clock.waiting() === 0);
});

test("above the limit nothing is sent, and who leaves makes room and leaves nothing behind", async (t) => {
  const { open, streams, run, live, clock, watching, closed } = await createScene(t, { most: 1 });
  live.begin(run.id);
  const first = await open({ run: { ...run, status: "running", attempts: 1 } });
  await first.next();
  assert.equal((await open()).status, 503);
  first.close();
  await eventually(() => streams.taken() === 0);
  assert.deepEqual([watching(), live.listening(), clock.waiting(), closed()], [0, 0, 0, 1]);
  assert.equal((await open()).status, 200);
});

test("a caller that closes its side of the connection is let go", async (t) => {
  const { streams, connect } = await createScene(t);
  const { socket, send, closed } = connect();
  send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await eventually(() => streams.taken() === 1);
  socket.end();
  await closed;
  await eventually(() => streams.taken() === 0);
});

test("at a stop every stream ends without an end of its run, and no other is opened", async (t) => {
  const { open, streams } = await createScene(t);
  const readers = [await open(), await open()];
  streams.stop();
  for (const reader of readers)
    assert.deepEqual(
      (await reader.rest()).map(({ event }) => event),
      ["run"],
    );
  assert.equal((await open()).status, 503);
});

test("a run that is not there any more ends the stream", async (t) => {
  const { open, gone } = await createScene(t);
  const reader = await open();
  gone();
  assert.deepEqual(
    (await reader.rest()).map(({ event }) => event),
    ["run"],
  );
});
