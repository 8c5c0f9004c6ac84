import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { anAcceptance, anEvent } from "../../../test/builders/acceptance.ts";
import { aRun } from "../../../test/builders/run.ts";
import { createConfig, createStoredHome, json } from "../../../test/fixtures/command-line.ts";
import { keepRequest } from "../../../test/fixtures/replays.ts";
import { newId } from "../../core/id.ts";
import { acceptRuns } from "../../store/ports/harness.contract.ts";

type Entry = { verb: string; subject: string; outcome: string; actor: string };

test("what commands change is in the audit, with what came of it; reads and plans are not", async (t) => {
  const { rouse, store, file } = await createStoredHome(t);
  const runs = [aRun(), aRun()];
  await acceptRuns(store, ...runs);
  const event = anEvent();
  await store.accept(anAcceptance({ events: [event] }));
  const request = await keepRequest(store, { body: '{"message":"secret words"}' });
  const [first, second] = runs.map(({ id }) => id);
  for (const [argv, code] of [
    [["runs"], 0],
    [["runs", "show", first!], 0],
    [["runs", "cancel", first!], 0],
    [["runs", "cancel", first!], 1],
    [["runs", "cancel", "unknown"], 1],
    [["runs", "cancel"], 2],
    [["runs", "retry", second!], 1],
    [["runs", "release", "--hook", "ci"], 0],
    [["runs", "retry", "--failed", "--since", "1h", "--dry-run"], 0],
    [["events", "cancel", event.id], 0],
    [["requests", "replay", request], 0],
    [["requests", "replay", "--since", "1h", "--hook", "agent", "--dry-run"], 0],
    [["requests", "replay", "--since", "1h", "--hook", "agent", "--again", "--batch", "b", "--yes"], 0],
    [["sessions", "target", "telegram", "12345"], 0],
    [["token", "add", "ci", "--hooks", "agent"], 0],
    [["token", "rotate", "ci"], 0],
    [["token", "rotate", "ci", "--finish"], 0],
    [["token", "rotate"], 0],
    [["token", "revoke", "ci", "--yes"], 0],
  ] as const)
    assert.equal((await rouse(["audit"])).code === 0 && (await rouse(argv)).code, code, argv.join(" "));

  const entries = (json(await rouse(["audit", "--json"])) as Entry[]).toReversed();
  assert.ok(entries.every(({ actor }) => actor === "cli"));
  const lines = entries.map(({ verb, subject, outcome }) => `${verb} ${subject} ${outcome}`);
  const many = lines.findIndex((line) => line.startsWith("request.replay since"));
  assert.match(lines[many]!, /since \S+Z, until \S+Z, hook agent, batch b done$/);
  assert.deepEqual(lines.toSpliced(many, 1), [
    `run.cancel ${first} done`,
    `run.cancel ${first} refused`,
    `run.retry ${second} refused`,
    "run.release hook ci done",
    `event.cancel ${event.id} done`,
    `request.replay ${request} done`,
    "session.target telegram done",
    "token.add ci done",
    "token.rotate ci done",
    "token.finish ci done",
    "token.rotate hooks.token done",
    "token.revoke ci done",
  ]);
  const all = JSON.stringify(entries);
  const tokens = /"token":\s*\[?\s*"([^"]+)"/g;
  for (const [, token] of readFileSync(file, "utf8").matchAll(tokens)) assert.ok(!all.includes(token!));
  assert.ok(!all.includes("secret words"));
});

test("the list is newest first, can be cut, and drives no terminal", async (t) => {
  const { rouse, store } = await createStoredHome(t);
  assert.equal((await rouse(["audit"])).stdout, "No entries.\n");
  for (const subject of ["one", "t\u001b[2Jwo", "three"])
    await store.addAudit({ id: newId(), actor: "token", verb: "run.cancel", subject, outcome: "done" });
  const { stdout } = await rouse(["audit", "--limit", "2"]);
  assert.match(stdout, /^CREATED +ACTOR +VERB +OUTCOME +SUBJECT\n.*three\n.*t\[2Jwo\n$/);
  assert.equal((json(await rouse(["audit", "--all", "--since", "1h", "--json"])) as Entry[]).length, 3);
  for (const argv of [["more"], ["--limit", "0"], ["--all", "--limit", "1"], ["--since", "soon"]])
    assert.equal((await rouse(["audit", ...argv])).code, 2);
});

test("before the first start there is no audit, and a change is made all the same", async (t) => {
  const { rouse } = createConfig(t);
  const { code, stderr } = await rouse(["token", "add", "ci", "--hooks", "agent"]);
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, /audit/);
});

test("a change that cannot be written into the audit is done, and said", async (t) => {
  const store = { url: "postgres://nobody@127.0.0.1:1/none" };
  const { rouse } = createConfig(t, {
    gateway: { auth: { token: "gateway-token-that-is-long-enough" } },
    hooks: { enabled: true, token: "hook-token-that-is-long-enough" },
    store,
  });
  const { code, stderr } = await rouse(["token", "add", "ci", "--hooks", "agent"]);
  assert.equal(code, 0);
  assert.match(stderr, /could not be written into the audit/);
});
