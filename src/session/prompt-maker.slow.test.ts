// What strangers can write does not hold the event loop while prompts are made of it.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { aRunRequest } from "../../test/builders/run.ts";
import { outsideMessage } from "../core/message.ts";
import type { SystemEvent } from "../core/system-event.ts";
import { heartbeatPrompt, hookPrompt, type Prompt } from "./prompt.ts";
import { mostAtOnce } from "../untrusted/effort.ts";
import { createPromptMaker } from "./prompt-maker.ts";

function start(t: TestContext, options: Parameters<typeof createPromptMaker>[0] = {}) {
  const prompts = createPromptMaker(options);
  t.after(prompts.close);
  return prompts;
}

const runOf = (text: string) => ({
  request: aRunRequest({ origin: "mapping", message: ["Read ", ...outsideMessage("body", "request", text)] }),
});

const eventOf = (text: string): SystemEvent => ({
  id: "event",
  sessionKey: "main",
  source: "wake",
  hook: "wake",
  text: outsideMessage("text", "request", text),
  seq: 1,
  createdAt: 0,
  shownAt: null,
});

/** A prompt's fences have a random id. */
const partsOf = ({ prepared, signals, prompt }: Prompt) => ({ prepared, signals, length: prompt.length });

/** How many turns of the event loop pass until the work is done. */
async function turnsDuring<T>(work: Promise<T>): Promise<{ result: T; turns: number }> {
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    if (isDone) return;
    turns++;
    setImmediate(count);
  };
  setImmediate(count);
  const result = await work;
  isDone = true;
  return { result, turns };
}

const costly = [
  "👩\u200d".repeat(20_000),
  "\u007f".repeat(200_000),
  "\u200b".repeat(87_000),
  "<s>".repeat(60_000),
];

for (const text of costly)
  test(`a prompt of ${text.length} characters ${JSON.stringify(text.slice(0, 3))} is made while the event loop turns`, async (t) => {
    const prompts = start(t);
    const run = runOf(text);
    assert.equal(prompts.now(run, null), null, "no caller waits for it");
    const { result, turns } = await turnsDuring(prompts.hook(run, "Be brief."));
    assert.ok(turns > 0);
    assert.deepEqual(partsOf(result), partsOf(hookPrompt(run, "Be brief.")));
  });

test("so is the prompt of a heartbeat", async (t) => {
  const prompts = start(t);
  const events = [eventOf("\u200b".repeat(87_000)), eventOf("second")];
  const { result, turns } = await turnsDuring(prompts.heartbeat({ events, count: 3 }, 0, null));
  const { shownEventIds, leftOver } = heartbeatPrompt(events, 0, null, 3);
  assert.ok(turns > 0);
  assert.deepEqual([result.shownEventIds, result.leftOver], [shownEventIds, leftOver]);
  assert.deepEqual(partsOf(result), partsOf(heartbeatPrompt(events, 0, null, 3)));
});

test("usual prompts are made at once, and no more of them in one turn than are little work", async (t) => {
  const prompts = start(t);
  const run = runOf("x".repeat(mostAtOnce / 4 - 100));
  let turn = 0;
  const count = (): void => void (turn++ < 20 && setImmediate(count));
  setImmediate(count);
  const madeIn = await Promise.all(
    Array.from({ length: 10 }, () => prompts.hook(run, null).then(() => turn)),
  );
  const perTurn = Object.values(Object.groupBy(madeIn, String)).map((each) => each!.length);
  assert.equal(Math.max(...perTurn), 4, madeIn.join());
});

test("a caller gets its prompt at once while the turn has room, and not beyond", (t) => {
  const prompts = start(t);
  const run = runOf("x".repeat(mostAtOnce / 4 - 100));
  const made = Array.from({ length: 6 }, () => prompts.now(run, null) !== null);
  assert.deepEqual(made, [true, true, true, true, false, false]);
  assert.ok(prompts.now({ request: aRunRequest({ origin: "mapping", message: ["ours"] }) }, null));
});

test("what is not kept apart from the operator's words is taken as it is, at once", (t) => {
  const message = outsideMessage("body", "request", "\u200b".repeat(200_000));
  const run = { request: aRunRequest({ origin: "mapping", message, unsafe: true }) };
  assert.equal(start(t).now(run, null)?.prepared.data.length, 0);
});

test("a thread that ends or does not answer costs no prompt", async (t) => {
  const run = runOf("👩\u200d".repeat(10_000));
  for (const code of ["process.exit();", "for (;;);", "throw new Error();"]) {
    const entry = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
    const prompts = start(t, { entry, limitMs: 1500 });
    assert.deepEqual(partsOf(await prompts.hook(run, null)), partsOf(hookPrompt(run, null)), code);
  }
});

test("a closed maker does no more of the work", async (t) => {
  const prompts = start(t);
  const made = prompts.hook(runOf("👩\u200d".repeat(10_000)), null);
  await Promise.all([assert.rejects(made, /stops/), prompts.close()]);
});
