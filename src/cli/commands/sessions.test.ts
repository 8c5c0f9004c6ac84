import assert from "node:assert/strict";
import test from "node:test";
import { aRun } from "../../../test/builders/run.ts";
import { aSettlement } from "../../../test/builders/settlement.ts";
import { acceptRuns } from "../../store/ports/harness.contract.ts";
import { createStoredHome, json } from "../../../test/fixtures/command-line.ts";

test("the target is set, shown and removed", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  assert.equal(json(await rouse(["sessions", "target", "--json"])), null);
  const set = await rouse(["sessions", "target", "Telegram", "--", "-100123"]);
  assert.equal(set.code, 0, set.stderr);
  assert.match(set.stderr, /^telegram is not configured: /);
  assert.deepEqual(await store.lastTarget(), { channel: "telegram", to: "-100123" });
  assert.match((await rouse(["sessions", "target"])).stdout, /-100123 on telegram/);
  assert.equal((await rouse(["sessions", "target", "none"])).code, 0);
  assert.equal(await store.lastTarget(), null);
});

test("an incomplete or unknown target is wrong usage", async (t) => {
  const { rouse } = await createStoredHome(t);
  assert.match((await rouse(["sessions", "target", "telegramm", "1"])).stderr, /Did you mean telegram\?/);
  for (const argv of [
    ["target", "last", "1"],
    ["target", "slack"],
    ["target", "slack", " "],
    ["lst"],
    ["show"],
    ["reset"],
    ["list", "x"],
  ])
    assert.equal((await rouse(["sessions", ...argv])).code, 2, argv.join(" "));
});

test("sessions are listed, shown and reset", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  assert.match((await rouse(["sessions"])).stdout, /No sessions/);
  const { id, agentId, ...rest } = aRun({ sessionKey: "ticket:7" });
  await acceptRuns(store, { id, agentId, ...rest });
  const { claimed } = await store.claimRuns({ kind: "hook", limit: 1, lease: "l", leaseMs: 1000 });
  const run = claimed[0]!;
  await store.startRun({
    ...run,
    isolated: false,
    historyCharacters: 0,
    prompt: "What is it?\nTell me.",
    budget: null,
  });
  const ending = {
    agentId,
    sessionKey: "ticket:7",
    text: "It is done.",
    foreignSession: null,
    carried: true,
  };
  await store.settleRun(run, aSettlement({ ending }));
  const [session] = json(await rouse(["sessions", "list", "--json"])) as {
    sessionKey: string;
    turns: number;
  }[];
  assert.deepEqual([session?.sessionKey, session?.turns], ["ticket:7", 2]);
  assert.match((await rouse(["sessions"])).stdout, /main +2 +ticket:7/);
  const shown = await rouse(["sessions", "show", "ticket:7"]);
  assert.match(shown.stdout, / user\n {2}What is it\?\n {2}Tell me\.\n[^]* assistant\n {2}It is done\./);
  const turns = json(await rouse(["sessions", "show", "ticket:7", "--json"])) as { runId: string }[];
  assert.equal(turns[0]?.runId, id);
  assert.equal((await rouse(["sessions", "reset", "ticket:7"])).code, 0);
  assert.match((await rouse(["sessions", "show", "ticket:7"])).stdout, /no longer carried/);
  const unknown = await rouse(["sessions", "show", "ticket:7", "--agent", "OTHER"]);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /The agent other has no session ticket:7/);
});
