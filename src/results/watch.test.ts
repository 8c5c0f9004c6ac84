import assert from "node:assert/strict";
import { test } from "node:test";
import type { Change } from "../core/change.ts";
import { StoreUnavailable } from "../core/errors.ts";
import type { RunState } from "../core/result.ts";
import type { Run } from "../core/run.ts";
import { aClaimedRun } from "../../test/builders/run.ts";
import { createFakeClock, settled } from "../../test/fakes/clock.ts";
import { createRunWatch, type RunListener } from "./watch.ts";

/** A store whose runs a test sets, and which counts what was read. */
function createScene() {
  const clock = createFakeClock();
  const runs = new Map<string, Run>();
  const read = { states: [] as string[][], runs: [] as string[][] };
  const listeners = new Set<(change: Change) => void>();
  let isAway = false;
  const among = (ids: readonly string[]) => ids.flatMap((id) => runs.get(id) ?? []);
  const watch = createRunWatch({
    clock,
    store: {
      async runStates(ids) {
        if (isAway) throw new StoreUnavailable("away");
        read.states.push([...ids]);
        return among(ids).map(({ id, status, attempts }) => ({ id, status, attempts }));
      },
      async findRuns(ids) {
        read.runs.push([...ids]);
        return among(ids);
      },
    },
    changes: {
      listen(heard) {
        listeners.add(heard);
        return () => void listeners.delete(heard);
      },
    },
  });
  const set = (id: string, parts: Partial<Run> = {}): RunState => {
    runs.set(id, { ...aClaimedRun({ id, status: "queued", attempts: 0 }), ...parts });
    return { id, status: "queued", attempts: 0 };
  };
  return {
    clock,
    watch,
    read,
    runs,
    listeners,
    set,
    tell: (change: Change) => listeners.forEach((heard) => heard(change)),
    away: (is: boolean) => void (isAway = is),
  };
}

function createListener(): RunListener & { heard: string[] } {
  const heard: string[] = [];
  return {
    heard,
    changed: ({ status, attempts }) => void heard.push(`${status} ${attempts}`),
    ended: ({ status, reply }) => void heard.push(`ended ${status} ${reply ?? ""}`),
    gone: () => void heard.push("gone"),
  };
}

const hint = (id: string): Change => ({ kind: "run", id, status: null });

test("a listener hears each state once, and then the end, with the run as it is stored", async () => {
  const { watch, set, tell } = createScene();
  const listener = createListener();
  watch.add(set("a"), listener);
  await settled();
  set("a", { status: "running", attempts: 1 });
  tell(hint("a"));
  tell(hint("a"));
  await settled();
  tell(hint("a"));
  set("a", { status: "succeeded", attempts: 1, reply: "done" });
  tell(hint("a"));
  await settled();
  tell(hint("a"));
  await settled();
  assert.deepEqual(listener.heard, ["running 1", "ended succeeded done"]);
  assert.equal(watch.size(), 0);
});

test("what changed before the listener came is told at once", async () => {
  const { watch, set } = createScene();
  const [early, late] = [createListener(), createListener()];
  const known = set("a");
  watch.add(known, early);
  set("a", { status: "running", attempts: 1 });
  await settled();
  watch.add(known, late);
  await settled();
  assert.deepEqual([early.heard, late.heard], [["running 1"], ["running 1"]]);
  const last = createListener();
  set("b", { status: "failed" });
  watch.add({ id: "b", status: "queued", attempts: 0 }, last);
  await settled();
  assert.deepEqual(last.heard, ["ended failed "]);
});

test("a run that has ended is read once for all who wait for it", async () => {
  const { watch, set, tell, read } = createScene();
  const known = set("a");
  const all = Array.from({ length: 500 }, createListener);
  for (const listener of all) watch.add(known, listener);
  await settled();
  set("a", { status: "succeeded", reply: "done" });
  tell(hint("a"));
  await settled();
  assert.ok(all.every(({ heard }) => heard.join() === "ended succeeded done"));
  assert.deepEqual(read.runs, [["a"]]);
});

test("500 runs are read in few calls: at first, every two seconds, and when many change", async () => {
  const { watch, set, read, clock, tell } = createScene();
  for (let at = 0; at < 500; at++) watch.add(set(`run ${at}`), createListener());
  await settled();
  assert.ok(read.states.length <= 6, String(read.states.length));
  read.states.length = 0;
  await clock.advance(2000);
  assert.equal(read.states.length, 5);
  assert.equal(new Set(read.states.flat()).size, 500);
  read.states.length = 0;
  for (let times = 0; times < 50; times++) tell({ kind: "many" });
  await clock.advance(250);
  assert.equal(read.states.length, 5);
  assert.deepEqual(read.runs, []);
});

test("a lost hint costs two seconds", async () => {
  const { watch, set, clock } = createScene();
  const listener = createListener();
  watch.add(set("a"), listener);
  await settled();
  set("a", { status: "cancelled" });
  await clock.advance(1999);
  assert.deepEqual(listener.heard, []);
  await clock.advance(1);
  assert.deepEqual(listener.heard, ["ended cancelled "]);
});

test("while the store is away nothing is told, and nothing is lost", async () => {
  const { watch, set, clock, tell, away } = createScene();
  const listener = createListener();
  away(true);
  watch.add(set("a"), listener);
  set("a", { status: "succeeded", reply: "done" });
  tell(hint("a"));
  await clock.advance(10_000);
  assert.deepEqual(listener.heard, []);
  away(false);
  await clock.advance(2000);
  assert.deepEqual(listener.heard, ["ended succeeded done"]);
});

test("a run that is not there any more is gone", async () => {
  const { watch, set, runs, clock } = createScene();
  const listener = createListener();
  watch.add(set("a"), listener);
  await settled();
  runs.delete("a");
  await clock.advance(2000);
  assert.deepEqual(listener.heard, ["gone"]);
  assert.equal(watch.size(), 0);
});

test("who has left hears nothing; when all have left, nothing is read and no timer waits", async () => {
  const { watch, set, tell, read, clock, listeners } = createScene();
  const [one, other] = [createListener(), createListener()];
  const known = set("a");
  const stops = [watch.add(known, one), watch.add(known, other)];
  await settled();
  stops[0]!();
  stops[0]!();
  set("a", { status: "running", attempts: 1 });
  tell(hint("a"));
  tell({ kind: "many" });
  await settled();
  assert.deepEqual([one.heard, other.heard], [[], ["running 1"]]);
  stops[1]!();
  assert.deepEqual([watch.size(), clock.waiting()], [0, 0]);
  const before = read.states.length;
  tell(hint("a"));
  await clock.advance(10_000);
  assert.equal(read.states.length, before);
  watch.stop();
  assert.equal(listeners.size, 0);
});

test("hints about other things, and about runs that nobody watches, lead to no read", async () => {
  const { watch, set, tell, read } = createScene();
  watch.add(set("a"), createListener());
  await settled();
  const before = read.states.length;
  tell({ kind: "delivery", id: "a", status: "sent" });
  tell(hint("b"));
  await settled();
  assert.equal(read.states.length, before);
});
