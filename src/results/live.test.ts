import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import type { Live, LiveEvent } from "../core/live.ts";
import { createLive } from "./live.ts";

const tool = (state: "started" | "ended"): LiveEvent => ({
  kind: "tool",
  name: "read",
  state,
  ms: state === "ended" ? 3 : null,
  ok: state === "ended" ? true : null,
});

function setUp() {
  const clock = createFakeClock();
  const live = createLive({ clock });
  live.begin("run");
  const say = (text: string) => live.tell("run", { kind: "delta", text });
  return { clock, live, say };
}

function listenTo(live: Live, runId = "run") {
  const heard: string[] = [];
  const listening = live.listen(runId, (event) =>
    heard.push(event.kind === "delta" ? event.text : `${event.name} ${event.state}`),
  );
  assert.ok(listening);
  return { heard, ...listening };
}

test("who listens gets the text so far, then every delta and tool, in order", async () => {
  const { clock, live, say } = setUp();
  say("The ");
  say("build ");
  const { heard, text } = listenTo(live);
  assert.equal(text, "The build ");
  say("broke");
  live.tell("run", tool("started"));
  live.tell("run", tool("ended"));
  say(".");
  await clock.advance(1000);
  assert.deepEqual(heard, ["broke", "read started", "read ended", "."]);
});

test("deltas are joined to at most twenty a second, and none waits for a next one", async () => {
  const { clock, live, say } = setUp();
  const { heard } = listenTo(live);
  for (let at = 0; at < 1000; at++) {
    say(`${at} `);
    await clock.advance(1);
  }
  assert.ok(heard.length <= 21, String(heard.length));
  await clock.advance(50);
  assert.equal(heard.join(""), Array.from({ length: 1000 }, (_, at) => `${at} `).join(""));
  assert.equal(clock.waiting(), 0, "no timer runs while nothing is told");
  say("at once");
  assert.equal(heard.at(-1), "at once");
});

test("a tool does not overtake the text before it", () => {
  const { live, say } = setUp();
  const { heard } = listenTo(live);
  say("a");
  say("b");
  say("c");
  live.tell("run", tool("started"));
  assert.deepEqual(heard, ["a", "bc", "read started"]);
});

test("a second listener gets what waits as text, and not once more", async () => {
  const { clock, live, say } = setUp();
  const first = listenTo(live);
  say("a");
  say("b");
  const second = listenTo(live);
  assert.equal(second.text, "ab");
  say("c");
  await clock.advance(100);
  assert.equal(first.heard.join(""), "abc");
  assert.deepEqual(second.heard, ["c"]);
});

test("a listener that throws harms nobody", async () => {
  const { clock, live, say } = setUp();
  assert.ok(
    live.listen("run", () => {
      throw new Error("a broken socket");
    }),
  );
  const { heard } = listenTo(live);
  say("a");
  say("b");
  await clock.advance(50);
  assert.deepEqual(heard, ["a", "b"]);
});

test("a listener that stops hears no more, and may stop twice, also from inside of what it hears", async () => {
  const { clock, live, say } = setUp();
  const heard: LiveEvent[] = [];
  const listening = live.listen("run", (event) => {
    heard.push(event);
    listening?.stop();
  });
  say("a");
  say("b");
  listening?.stop();
  await clock.advance(50);
  assert.equal(heard.length, 1);
  assert.equal(clock.waiting(), 0);
});

test("the end of an attempt brings what waits; then nobody listens", async () => {
  const { clock, live, say } = setUp();
  const { heard, stop } = listenTo(live);
  say("a");
  say("b");
  live.end("run");
  assert.deepEqual(heard, ["a", "b"]);
  say("c");
  stop();
  await clock.advance(50);
  assert.deepEqual(heard, ["a", "b"]);
  assert.equal(
    live.listen("run", () => {}),
    null,
  );
  assert.equal(clock.waiting(), 0);
});

test("a second attempt begins anew", () => {
  const { live, say } = setUp();
  say("first");
  const { heard } = listenTo(live);
  live.begin("run");
  say("second");
  assert.deepEqual(heard, []);
  assert.equal(listenTo(live).text, "second");
});

test("a run that is not here has nothing to hear, and what is told of it is forgotten", () => {
  const { live } = setUp();
  live.tell("other", { kind: "delta", text: "x" });
  live.end("other");
  assert.equal(
    live.listen("other", () => {}),
    null,
  );
});

test("the text of a run is kept up to a million characters, and says so", async () => {
  const { clock, live, say } = setUp();
  say("x".repeat(999_999));
  const { heard } = listenTo(live);
  say("\u{1f642}");
  say("more");
  await clock.advance(50);
  assert.equal(heard.join(""), "\u{1f642}more", "who listens hears all of it");
  const { text } = listenTo(live);
  assert.ok(text.startsWith("x".repeat(999_999)));
  assert.match(text.slice(999_999), /^\n\n\[More than 1000000 characters were written; /);
});
