// 1,000 waiting notes of 200 KB: a heartbeat reads what it shows, not all that waits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { aHeartbeatRequest, anAcceptance, anEvent } from "../../test/builders/acceptance.ts";
import { createFakeAgent } from "../../test/fakes/agent.ts";
import { setUpRunner } from "../../test/fakes/runner.ts";
import { plainText } from "../core/message.ts";
import { longestBacklog } from "../session/prompt.ts";

const notes = 1000;
const length = 200_000;

test("1,000 notes of 200 KB: each heartbeat reads a few of them, shows the oldest and says how many are left", async (t) => {
  const { store, runnerWith } = await setUpRunner(t);
  for (let stored = 0; stored < notes; stored += 10) {
    const events = Array.from({ length: 10 }, (_, at) => anEvent(`${stored + at} ${"x".repeat(length)}`));
    await store.accept(anAcceptance({ events, heartbeat: aHeartbeatRequest() }));
  }
  const read: number[] = [];
  const waitingEvents: typeof store.waitingEvents = async (...of) => {
    const events = await store.waitingEvents(...of);
    read.push(events.reduce((sum, { text }) => sum + plainText(text).length, 0));
    return events;
  };
  const agent = createFakeAgent();
  const runner = runnerWith(agent, { store: { ...store, waitingEvents } });
  for (let beat = 0; beat < 3; beat++) await runner.tick();
  assert.equal(agent.inputs.length, 3);
  for (const [beat, { prompt }] of agent.inputs.entries()) {
    assert.ok(prompt.includes(`| ${beat} xxx`), "oldest first");
    assert.ok(prompt.length < longestBacklog + 3000);
    assert.ok(prompt.includes(`(${notes - beat - 1} more events wait for the next heartbeat.)`));
    assert.ok(read[beat]! <= 3 * length + 100, `${read[beat]} characters were read`);
  }
});
