import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock, eventually, settled } from "../../test/fakes/clock.ts";
import { setUpRunner } from "../../test/fakes/runner.ts";
import type { Agent, AgentInput } from "../agents/agent.ts";
import { createLastLine } from "./last-line.ts";

const run = { id: "run", lease: "lease" };

/** A store that keeps what it was given, and answers when it is told to. */
function setUp() {
  const clock = createFakeClock();
  const notes: { line: string; answer: (held: boolean) => void; fail: () => void }[] = [];
  const store = {
    noteLastLine: ({ line }: { line: string }) =>
      new Promise<boolean>((answer, reject) => {
        notes.push({ line, answer, fail: () => reject(new Error("away")) });
      }),
  };
  const lines = () => notes.map(({ line }) => line);
  return { clock, notes, lines, lastLine: createLastLine(run, { store, clock }) };
}

test("without a line there is no timer and no write", async () => {
  const { clock, lines } = setUp();
  assert.equal(clock.waiting(), 0);
  await clock.advance(60_000);
  assert.deepEqual(lines(), []);
});

test("of a hundred thousand lines within seconds one is read, and stored", async () => {
  const { clock, lines, lastLine } = setUp();
  let reads = 0;
  for (let n = 0; n < 100_000; n++)
    lastLine.written(() => {
      reads++;
      return `line ${n}`;
    });
  assert.equal(clock.waiting(), 1);
  await clock.advance(2999);
  assert.equal(reads, 0);
  await clock.advance(1);
  assert.equal(reads, 1);
  assert.deepEqual(lines(), ["line 99999"]);
});

test("while one is being stored no other is, and the newest follows later", async () => {
  const { clock, notes, lines, lastLine } = setUp();
  lastLine.written(() => "first");
  await clock.advance(3000);
  for (const line of ["second", "third"]) lastLine.written(() => line);
  await clock.advance(60_000);
  assert.deepEqual(lines(), ["first"]);
  notes[0]!.answer(true);
  await settled();
  await clock.advance(2999);
  assert.deepEqual(lines(), ["first"]);
  await clock.advance(1);
  assert.deepEqual(lines(), ["first", "third"]);
});

test("the same line is not stored again, and a blank one not at all", async () => {
  const { clock, notes, lines, lastLine } = setUp();
  lastLine.written(() => "same");
  await clock.advance(3000);
  notes[0]!.answer(true);
  await settled();
  for (const line of ["same", null, "same"]) {
    lastLine.written(() => line);
    await clock.advance(3000);
  }
  assert.deepEqual(lines(), ["same"]);
  assert.equal(clock.waiting(), 0);
});

test("a store that is away costs the line, and the next one is tried", async () => {
  const { clock, notes, lines, lastLine } = setUp();
  lastLine.written(() => "same");
  await clock.advance(3000);
  notes[0]!.fail();
  await settled();
  lastLine.written(() => "same");
  await clock.advance(3000);
  assert.deepEqual(lines(), ["same", "same"]);
});

test("after the end nothing is stored, also when a line waits or is being stored", async () => {
  const waiting = setUp();
  waiting.lastLine.written(() => "late");
  waiting.lastLine.stop();
  waiting.lastLine.written(() => "later");
  await waiting.clock.advance(60_000);
  assert.deepEqual(waiting.lines(), []);
  const storing = setUp();
  storing.lastLine.written(() => "first");
  await storing.clock.advance(3000);
  storing.lastLine.written(() => "second");
  storing.lastLine.stop();
  storing.notes[0]!.answer(true);
  await settled();
  await storing.clock.advance(60_000);
  assert.deepEqual(storing.lines(), ["first"]);
});

test("a running run has the line, and an ended one has not", async (t) => {
  const { clock, runnerWith, enqueue, find } = await setUpRunner(t);
  const calls: AgentInput[] = [];
  const done = Promise.withResolvers<void>();
  const agent: Agent = {
    async run(input) {
      calls.push(input);
      await done.promise;
      return { kind: "replied", reply: "done" };
    },
  };
  const id = await enqueue();
  const ticking = runnerWith(agent).tick();
  await eventually(() => calls.length > 0, "the agent's call");
  assert.equal((await find(id)).lastLine, null);
  calls[0]!.onErrorOutput?.(() => "Reading 3 of 7 files");
  await clock.advance(3000);
  await eventually(async () => (await find(id)).lastLine === "Reading 3 of 7 files", "the line");
  done.resolve();
  await ticking;
  const { status, lastLine } = await find(id);
  assert.deepEqual({ status, lastLine }, { status: "succeeded", lastLine: null });
});
