// A run or an event that cannot be prepared: it ends, and nothing behind it waits for it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { anEvent } from "../../test/builders/acceptance.ts";
import { createFakeAgent } from "../../test/fakes/agent.ts";
import { setUpRunner } from "../../test/fakes/runner.ts";
import type { Message } from "../core/message.ts";

const poison: Message = [{ label: "text", source: "request", text: null as unknown as string }];

test("a run whose prompt cannot be made fails at its first attempt and says why; its conversation goes on", async (t) => {
  const { runnerWith, enqueue, find, summaries } = await setUpRunner(t);
  const poisoned = await enqueue({ message: poison }, "shop");
  const next = await enqueue({}, "shop");
  const agent = createFakeAgent();
  const runner = runnerWith(agent);
  await runner.tick();
  await runner.tick();
  const { status, attempts, error } = await find(poisoned);
  assert.deepEqual([status, attempts, error], ["failed", 1, "its prompt could not be made: TypeError"]);
  assert.equal((await find(next)).status, "succeeded");
  assert.deepEqual([agent.inputs.length, (await summaries()).length], [1, 2]);
});

test("an event that cannot be prepared is shown as a note, and the heartbeat goes on with the rest", async (t) => {
  const { runnerWith, accept, wake, store } = await setUpRunner(t);
  const poisoned = anEvent("x");
  await accept({ events: [{ ...poisoned, text: poison }] });
  await wake("the text behind it");
  const agent = createFakeAgent();
  await runnerWith(agent).tick();
  assert.match(agent.inputs[0]!.prompt, new RegExp(`rouse events show ${poisoned.id}`));
  assert.match(agent.inputs[0]!.prompt, /the text behind it/);
  assert.deepEqual(
    (await store.listEvents({ limit: null })).filter(({ shownAt }) => shownAt === null),
    [],
  );
});
