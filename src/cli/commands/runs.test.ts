import assert from "node:assert/strict";
import test from "node:test";
import type { Budget } from "../../core/spending.ts";
import { aRun } from "../../../test/builders/run.ts";
import { aSettlement } from "../../../test/builders/settlement.ts";
import { acceptRuns, claim } from "../../store/ports/harness.contract.ts";
import { createStoredHome, hookToken, json } from "../../../test/fixtures/command-line.ts";

const noBudget: Budget = { runsPerDay: 0, tokensPerDay: 0, moneyPerDay: null };

async function park(store: Parameters<typeof claim>[0]): Promise<string[]> {
  const { claimed } = await claim(store);
  for (const each of claimed)
    await store.startRun({
      ...each,
      isolated: true,
      historyCharacters: 0,
      prompt: "the prompt",
      budget: noBudget,
    });
  return claimed.map(({ id }) => id);
}

test("parked runs are released: one, those of a hook, or all", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  assert.match((await rouse(["runs", "release"])).stdout, /No runs are parked/);
  await acceptRuns(store, aRun(), aRun(), aRun(), aRun({ hook: "other" }));
  const [first] = await park(store);
  assert.deepEqual(json(await rouse(["runs", "release", first!, "--json"])), { released: 1 });
  const again = await rouse(["runs", "release", first!]);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /no parked run with the id/);
  assert.match((await rouse(["runs", "release", "--hook", "other"])).stdout, /One run was released/);
  assert.match((await rouse(["runs", "release"])).stdout, /2 runs were released/);
  assert.equal((await rouse(["runs", "release", "x", "--hook", "y"])).code, 2);
});

test("show prints the transcript of a run and what it used", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  await acceptRuns(store, aRun());
  const [claimed] = (await claim(store)).claimed;
  assert.ok(claimed);
  await store.startRun({
    ...claimed,
    isolated: true,
    historyCharacters: 0,
    prompt: "Say what it is.",
    budget: null,
  });
  const { agentId, sessionKey } = claimed;
  const ending = { agentId, sessionKey, text: "It is blue.", foreignSession: null, carried: true };
  const report = {
    inputTokens: 12,
    outputTokens: 3,
    cost: 0.5,
    warnings: ["high became medium"],
    toolsGranted: ["read"],
    toolsUsed: [],
  };
  await store.settleRun(
    claimed,
    aSettlement({
      ending,
      report,
      next: { kind: "ended", status: "succeeded", reply: "It is blue.", error: null },
    }),
  );
  const { stdout } = await rouse(["runs", "show", claimed.id]);
  assert.match(stdout, /Prompt +no text from outside, 15 characters\n +\| Say what it is\.\n/);
  assert.match(stdout, /Reply +11 characters, 12 tokens in, 3 out, cost 0\.500\n +\| It is blue\.\n/);
  assert.match(stdout, /warning: high became medium\n +tools granted: read\n/);
  const shown = json(await rouse(["runs", "show", claimed.id, "--json"])) as Record<string, unknown>;
  assert.deepEqual(shown["report"], report);
  assert.equal((shown["transcript"] as unknown[]).length, 2);
});

test("doctor says which hook has used up its budget", async (t) => {
  const config = { hooks: { enabled: true, token: hookToken, budget: { runsPerDay: 1 } } };
  const { store, rouse } = await createStoredHome(t, undefined, config);
  await acceptRuns(store, aRun(), aRun());
  const budget: Budget = { ...noBudget, runsPerDay: 1, tokensPerDay: 1000 };
  for (const each of (await claim(store)).claimed)
    await store.startRun({ ...each, isolated: true, historyCharacters: 0, prompt: "the prompt", budget });
  const { stdout } = await rouse(["doctor"]);
  assert.match(stdout, /warn +budget: used up today.*agent \(1 runs a day\)/);
});
