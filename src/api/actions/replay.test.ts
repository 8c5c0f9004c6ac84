import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock, settled } from "../../../test/fakes/clock.ts";
import { silentLog } from "../../core/log.ts";
import { createReplays } from "./replay.ts";

/** Requests that are all gone by the time they are to be replayed: then nothing has to wait for its turn. */
function createFixture(findRequest: (id: string) => Promise<null>) {
  const clock = createFakeClock();
  const deps = { clock, log: silentLog, store: { findRequest } } as unknown as Parameters<
    typeof createReplays
  >[0];
  return { clock, replays: createReplays(deps) };
}

test("a replay goes on in the background, and says how far it is", async () => {
  const { replays } = createFixture(async () => null);
  assert.equal(replays.start("a", ["1", "2"], 60), true);
  assert.deepEqual([replays.find("a")?.state, replays.find("a")?.count], ["running", 2]);
  await settled();
  const { state, done, outcomes } = replays.find("a")!;
  assert.deepEqual([state, done, outcomes], ["done", 2, { gone: 2 }]);
  assert.equal(replays.find("b"), null);
});

test("a stop ends it behind the request that is being replayed", async () => {
  const release: (() => void)[] = [];
  const { replays } = createFixture(() => new Promise((resolve) => release.push(() => resolve(null))));
  replays.start("a", ["1", "2", "3"], 60);
  await settled();
  const stopping = replays.stop();
  release[0]!();
  await stopping;
  const { state, done } = replays.find("a")!;
  assert.deepEqual([state, done, release.length], ["stopped", 1, 1]);
});

test("one batch is replayed once at a time, and so many batches at most; a fault ends only its own", async () => {
  const { replays } = createFixture((id) =>
    id === "bad" ? Promise.reject(new Error("fault")) : new Promise(() => {}),
  );
  for (const batch of ["a", "b", "c", "d"]) assert.equal(replays.start(batch, ["1"], 60), true);
  assert.equal(replays.start("a", ["1"], 60), false);
  assert.equal(replays.start("e", ["bad"], 60), true);
  assert.equal(replays.start("f", ["1"], 60), false);
  await settled();
  assert.equal(replays.find("e")?.state, "failed");
  assert.equal(replays.start("f", ["1"], 60), true);
  assert.deepEqual(
    replays.list().map(({ batch }) => batch),
    ["f", "e", "d", "c", "b", "a"],
  );
});
