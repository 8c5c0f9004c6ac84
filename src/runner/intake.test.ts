import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createFakeAgent, createHeldAgent } from "../../test/fakes/agent.ts";
import { eventually, settled } from "../../test/fakes/clock.ts";
import { setUpRunner } from "../../test/fakes/runner.ts";
import type { Agent } from "../agents/agent.ts";
import { StoreUnavailable } from "../core/errors.ts";
import { acceptance, event, heartbeat, run } from "../store/contract/harness.ts";
import type { Acceptance, Store } from "../store/store.ts";
import { acceptWith } from "./intake.ts";

async function setUp(t: TestContext, agent: Agent, more: Partial<Pick<Store, "accept">> = {}) {
  const { runnerWith, store, find } = await setUpRunner(t);
  let claims = 0;
  const counting: Store = {
    ...store,
    async claimRuns(claim) {
      const answer = await store.claimRuns(claim);
      if (claim.kind === "hook") claims++;
      return answer;
    },
    ...more,
  };
  const runner = runnerWith(agent, { store: counting });
  t.after(() => runner.drain(0));
  runner.start();
  // Its first claim finds nothing.
  await eventually(async () => claims === 1);
  await settled();
  return { accept: acceptWith(counting, runner), runner, find, claims: () => claims };
}

test("an isolated run begins as it is accepted, without a claim", async (t) => {
  const agent = createFakeAgent();
  const { accept, find, claims } = await setUp(t, agent);
  const each = run();
  const accepted = await accept(acceptance({ runs: [each] }));
  assert.ok(accepted.kind === "stored" && accepted.claimed?.id === each.id);
  await eventually(async () => (await find(each.id)).status === "succeeded");
  assert.equal((await find(each.id)).attempts, 1);
  assert.equal(claims(), 1);
});

test("it waits for its turn when there is no place", async (t) => {
  const agent = createHeldAgent();
  const { accept, runner, find } = await setUp(t, agent);
  const runs = Array.from({ length: 5 }, () => run());
  const accepted = await Promise.all(runs.map((each) => accept(acceptance({ runs: [each] }))));
  const claimed = accepted.filter((each) => each.kind === "stored" && each.claimed);
  assert.equal(claimed.length, 4);
  assert.equal((await find(runs[4]!.id)).status, "queued");
  assert.ok(runner.busy() <= 4);
});

test("what may have to wait, or leads to more than a run, is stored as it is", async (t) => {
  const { accept } = await setUp(t, createFakeAgent());
  const idempotency = { key: "k", fingerprint: "f" };
  const others: Partial<Acceptance>[] = [
    { runs: [run({ key: "hook:a" })] },
    { runs: [run(), run()] },
    { runs: [run()], events: [event()] },
    { runs: [run()], heartbeat: heartbeat() },
    { runs: [run()], idempotency },
    { events: [event()] },
  ];
  for (const parts of others) assert.deepEqual(await accept(acceptance(parts)), { kind: "stored" });
});

test("a store that is away takes no place", async (t) => {
  const away = () => Promise.reject(new StoreUnavailable("away"));
  const { accept, runner } = await setUp(t, createFakeAgent(), { accept: away });
  for (let time = 0; time < 10; time++)
    await assert.rejects(accept(acceptance({ runs: [run()] })), StoreUnavailable);
  await settled();
  assert.equal(runner.busy(), 0);
});
