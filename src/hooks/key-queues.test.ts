import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeyQueues } from "./key-queues.ts";

test("work under one key is done one after another, also after a failure; other keys do not wait", async () => {
  const queues = createKeyQueues();
  const done: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = queues.add("a", async () => {
    await gate.promise;
    done.push("first");
    throw new Error("broken");
  });
  const second = queues.add("a", async () => done.push("second"));
  const third = queues.add("a", async () => done.push("third"));
  await queues.add("b", async () => done.push("other"));
  assert.deepEqual(done, ["other"]);
  gate.resolve();
  await assert.rejects(first, /broken/);
  await Promise.all([second, third]);
  await queues.add("a", async () => done.push("later"));
  assert.deepEqual(done, ["other", "first", "second", "third", "later"]);
});
