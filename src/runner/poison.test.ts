// A run or an event that cannot be prepared: it ends, and nothing behind it waits for it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { anEvent } from "../../test/builders/acceptance.ts";
import { createFakeAgent } from "../../test/fakes/agent.ts";
import { setUpRunner } from "../../test/fakes/runner.ts";
import type { Message } from "../core/message.ts";

const poison: Message = [{ label: "text", source: "request", text: null as unknown as string }];

test("a run whose prompt cannot be made fails at its first attempt and says why; its conversation goes on", async (t) => {
  const { runnerWith, enqueue, find, summaries, store } = await setUpRunner(t);
  const poisoned = await enqueue({}, "shop");
  const next = await enqueue({}, "shop");
  const claimRuns: typeof store.claimRuns = async (wanted) => {
    const { claimed, nextInMs } = await store.claimRuns(wanted);
    const changed = claimed.map((run) =>
      run.id === poisoned ? { ...run, request: { ...run.request, message: poison } } : run,
    );
    return { claimed: changed, nextInMs };
  };
  const agent = createFakeAgent();
  const runner = runnerWith(agent, { store: { ...store, claimRuns } });
  await runner.tick();
  await runner.tick();
  const { status, attempts, error } = await find(poisoned);
  assert.deepEqual([status, attempts, error], ["failed", 1, "its prompt could not be made: TypeError"]);
  assert.equal((await find(next)).status, "succeeded");
  assert.deepEqual([agent.inputs.length, (await summaries()).length], [1, 2]);
});

test("an event that cannot be prepared is shown as a note, and the heartbeat goes on with the rest", async (t) => {
  const { runnerWith, wake, store } = await setUpRunner(t);
  const poisoned = await wake("x");
  await wake("the text behind it");
  const waitingEvents: typeof store.waitingEvents = async (...of) =>
    (await store.waitingEvents(...of)).map((event) =>
      event.id === poisoned ? { ...event, text: poison } : event,
    );
  const agent = createFakeAgent();
  await runnerWith(agent, { store: { ...store, waitingEvents } }).tick();
  assert.match(agent.inputs[0]!.prompt, new RegExp(`rouse events show ${poisoned}`));
  assert.match(agent.inputs[0]!.prompt, /the text behind it/);
  const events = await store.listEvents({ limit: null });
  assert.deepEqual(
    events.filter(({ shownAt }) => shownAt === null),
    [],
  );
});

test("a stored event of another form is set aside; the next heartbeat tells of it", async (t) => {
  const { runnerWith, accept, wake } = await setUpRunner(t);
  const unreadable = anEvent("x");
  await accept({ events: [{ ...unreadable, text: poison }] });
  await wake("the text behind it");
  const agent = createFakeAgent();
  const runner = runnerWith(agent);
  await runner.tick();
  await runner.tick();
  assert.match(agent.inputs[0]!.prompt, /the text behind it/);
  assert.match(agent.inputs[1]!.prompt, new RegExp(`set aside.*rouse events show ${unreadable.id}`));
  assert.equal(agent.inputs.length, 2);
});
