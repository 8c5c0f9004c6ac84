import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import type { Change } from "../../core/change.ts";
import { thin } from "./changes.ts";

const change = (id: number): Change => ({ kind: "run", id: String(id), status: "queued" });

test("ten changes of a second are passed on, and one word that there were more", async () => {
  const clock = createFakeClock();
  const passed: Change[] = [];
  const { hear, stop } = thin(clock, (each) => passed.push(each));
  for (let id = 0; id < 10; id++) hear(change(id));
  await clock.advance(1000);
  assert.equal(passed.length, 10, "ten are not many");
  for (let id = 0; id < 25; id++) hear(change(id));
  assert.equal(passed.length, 20);
  await clock.advance(1000);
  assert.deepEqual(passed.slice(20), [{ kind: "many" }]);
  hear(change(1));
  assert.equal(passed.length, 22);
  stop();
  assert.equal(clock.waiting(), 0);
});
