import assert from "node:assert/strict";
import { test } from "node:test";
import type { Change } from "../core/change.ts";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createChanges } from "./changes.ts";

function createScene() {
  const clock = createFakeClock();
  const announced: (readonly Change[])[] = [];
  const changes = createChanges({
    clock,
    store: { announceChanges: (told) => void announced.push(told) },
  });
  const heard: Change[] = [];
  const stop = changes.listen((change) => void heard.push(change));
  return { clock, announced, changes, heard, stop };
}

const run = (id: string, status = "running"): Change => ({ kind: "run", id, status });

test("listeners of this node hear a change at once, and until they stop", () => {
  const { changes, heard, stop } = createScene();
  changes.tell(run("a"));
  assert.deepEqual(heard, [run("a")]);
  stop();
  changes.tell(run("b"));
  assert.equal(heard.length, 1);
});

test("other nodes are told at once after a pause, and then ten times a second, of each thing only the last", async () => {
  const { changes, announced, clock } = createScene();
  changes.tell(run("a", "queued"));
  assert.deepEqual(announced, [[run("a", "queued")]]);
  changes.tell(run("a", "running"));
  changes.tell(run("b"));
  changes.tell(run("a", "succeeded"));
  assert.equal(announced.length, 1);
  await clock.advance(100);
  assert.deepEqual(announced[1], [run("a", "succeeded"), run("b")]);
  await clock.advance(100);
  assert.deepEqual([announced.length, clock.waiting()], [2, 0]);
});

test("ten announcements a second are the most, and what is too much is told as many", async () => {
  const { changes, announced, clock } = createScene();
  for (let ms = 0; ms < 1000; ms++) {
    for (let at = 0; at < 5; at++) changes.tell(run(`${ms} ${at}`));
    await clock.advance(1);
  }
  assert.ok(announced.length <= 11, String(announced.length));
  assert.deepEqual(announced[0], [run("0 0")]);
  assert.ok(announced.slice(1).every((told) => told.length === 1 && told[0]?.kind === "many"));
});

test("what other nodes tell is heard here, and is not told again", async () => {
  const { changes, announced, heard, clock } = createScene();
  changes.hear([run("a"), { kind: "many" }]);
  await clock.advance(1000);
  assert.deepEqual(heard, [run("a"), { kind: "many" }]);
  assert.deepEqual(announced, []);
});

test("a store with one gateway has no one to be told, and no timer waits", () => {
  const clock = createFakeClock();
  const changes = createChanges({ clock, store: null });
  changes.tell(run("a"));
  assert.equal(clock.waiting(), 0);
});

test("after a stop nothing is told", async () => {
  const { changes, announced, clock } = createScene();
  changes.tell(run("a"));
  changes.tell(run("b"));
  changes.stop();
  await clock.advance(1000);
  assert.equal(announced.length, 1);
});
