import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { createFakeAgent, createHeldAgent } from "../../test/fakes/agent.ts";
import { eventually, settled } from "../../test/fakes/clock.ts";
import { mainAgent, setUpRunner } from "../../test/fakes/runner.ts";
import { makeFolder } from "../../test/support/folder.ts";
import type { Agent } from "../agents/agent.ts";
import { createAgents } from "../agents/registry.ts";
import type { AgentConfig } from "../config/config.ts";
import { StoreUnavailable } from "../core/errors.ts";
import { outsideMessage } from "../core/message.ts";
import { aHeartbeatRequest, anAcceptance, anEvent } from "../../test/builders/acceptance.ts";
import { aRun, aRunRequest } from "../../test/builders/run.ts";
import type { Acceptance } from "../core/request.ts";
import type { Store } from "../store/ports/store.ts";
import { acceptWith } from "./intake.ts";

type Wish = { accept?: Store["accept"]; config?: AgentConfig };

async function setUp(t: TestContext, agent: Agent, { accept, config = mainAgent }: Wish = {}) {
  const { runnerWith, store, find } = await setUpRunner(t);
  let claims = 0;
  const counting: Store = {
    ...store,
    async claimRuns(claim) {
      const result = await store.claimRuns(claim);
      if (claim.kind === "hook") claims++;
      return result;
    },
    ...(accept && { accept }),
  };
  const agents = () => createAgents([config], () => agent);
  const runner = runnerWith(agent, { store: counting, agents });
  t.after(() => runner.drain(0));
  runner.start();
  // Its first claim finds nothing.
  await eventually(async () => claims === 1);
  await settled();
  return { accept: acceptWith(counting, runner), runner, store, find, claims: () => claims };
}

test("an isolated run starts as it is accepted, without a claim", async (t) => {
  const agent = createFakeAgent();
  const { accept, find, claims } = await setUp(t, agent);
  const each = aRun();
  const accepted = await accept(anAcceptance({ runs: [each] }));
  assert.ok(accepted.kind === "stored" && accepted.started?.id === each.id);
  await eventually(async () => (await find(each.id)).status === "succeeded");
  assert.equal((await find(each.id)).attempts, 1);
  assert.equal(claims(), 1);
});

test("it is queued when no slot is free", async (t) => {
  const agent = createHeldAgent();
  const { accept, runner, find } = await setUp(t, agent);
  const runs = Array.from({ length: 5 }, () => aRun());
  const accepted = await Promise.all(runs.map((each) => accept(anAcceptance({ runs: [each] }))));
  const started = accepted.filter((each) => each.kind === "stored" && each.started);
  assert.equal(started.length, 4);
  assert.equal((await find(runs[4]!.id)).status, "queued");
  assert.ok(runner.busy() <= 4);
  await runner.drain(0);
  const left = await Promise.all(runs.map(({ id }) => find(id)));
  assert.deepEqual(
    left.map(({ status, attempts }) => [status, attempts]),
    runs.map(() => ["queued", 0]),
  );
});

test("its agent is called once, and it counts against the budget", async (t) => {
  const agent = createFakeAgent();
  const config: AgentConfig = { ...mainAgent, kind: "http", url: "http://127.0.0.1/", secret: null };
  const { accept, find, store } = await setUp(t, agent, { config });
  const each = aRun({ request: aRunRequest({ origin: "mapping", message: ["look at it"] }) });
  await accept(anAcceptance({ runs: [each] }));
  await eventually(async () => (await find(each.id)).status === "succeeded");
  const turns = await store.listTurns(each);
  assert.deepEqual(
    turns.map(({ role, text }) => [role, text]),
    [
      ["user", "look at it"],
      ["assistant", "done"],
    ],
  );
  assert.equal(agent.inputs[0]?.prompt, "look at it");
  assert.equal((await store.listSpending())[0]?.runs, 1);
});

test("instructions in a file are read when the run is claimed", async (t) => {
  const workspace = makeFolder("intake");
  const instructionsFile = join(workspace, "instructions.md");
  writeFileSync(instructionsFile, "Be brief.");
  const agent = createFakeAgent();
  const { accept, find, runner } = await setUp(t, agent, {
    config: { ...mainAgent, workspace, instructionsFile },
  });
  const each = aRun({ request: aRunRequest({ origin: "mapping", message: ["look at it"] }) });
  assert.deepEqual(await accept(anAcceptance({ runs: [each] })), { kind: "stored" });
  runner.kick("hook");
  await eventually(async () => (await find(each.id)).status === "succeeded");
  assert.equal(agent.inputs[0]?.prompt, "Be brief.\n\nlook at it");
});

test("a conversation, and a request that leads to more than one run, is stored without a first attempt", async (t) => {
  const { accept } = await setUp(t, createFakeAgent());
  const idempotency = { key: "k", fingerprint: "f" };
  const others: Partial<Acceptance>[] = [
    { runs: [aRun({ sessionKey: "hook:a" })] },
    { runs: [aRun(), aRun()] },
    { runs: [aRun()], events: [anEvent()] },
    { runs: [aRun()], heartbeat: aHeartbeatRequest() },
    { runs: [aRun()], idempotency },
    { events: [anEvent()] },
  ];
  for (const parts of others) assert.deepEqual(await accept(anAcceptance(parts)), { kind: "stored" });
});

test("an unavailable store takes no slot", async (t) => {
  const away = () => Promise.reject(new StoreUnavailable("away"));
  const { accept, runner } = await setUp(t, createFakeAgent(), { accept: away });
  for (let time = 0; time < 10; time++)
    await assert.rejects(accept(anAcceptance({ runs: [aRun()] })), StoreUnavailable);
  await settled();
  assert.equal(runner.busy(), 0);
});

test("a run whose prompt is much work is queued, and its caller does not wait for the prompt", async (t) => {
  const agent = createFakeAgent();
  const { accept, find, runner } = await setUp(t, agent);
  const message = outsideMessage("body", "request", "👩\u200d".repeat(20_000));
  const each = aRun({ request: aRunRequest({ message }) });
  assert.deepEqual(await accept(anAcceptance({ runs: [each] })), { kind: "stored" });
  runner.kick("hook");
  await eventually(async () => (await find(each.id)).status === "succeeded");
  assert.match(agent.inputs[0]!.prompt, /\n\| 👩⟦U\+200D⟧👩/);
});
