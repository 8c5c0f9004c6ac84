import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { anAcceptance } from "../../../test/builders/acceptance.ts";
import { aRun } from "../../../test/builders/run.ts";
import { createStoredHome, json } from "../../../test/fixtures/command-line.ts";
import { claimNext, startRun } from "../../store/ports/harness.contract.ts";

type Row = { name: string; kind: string; mappings: string[]; pausedAt: string | null };

async function homeWithMapping(t: TestContext, match: object = { path: "github" }) {
  const home = await createStoredHome(t);
  const file = join(home.folder, "hooks.jsonc");
  const mappings = [{ id: "issues", match, messageTemplate: "look" }];
  const hooks = { enabled: true, token: "a-token-that-is-long-enough", mappings };
  writeFileSync(file, JSON.stringify({ hooks, store: { path: join(home.folder, "rouse.db") } }));
  const rouse = (...argv: string[]) => home.rouse([...argv, "--config", file]);
  return { ...home, rouse };
}

test("hooks are listed, paused and resumed", async (t) => {
  const { rouse, store } = await homeWithMapping(t);
  const listed = json(await rouse("hooks", "--json")) as Row[];
  assert.deepEqual(
    listed.map(({ name, kind, mappings, pausedAt }) => [name, kind, mappings, pausedAt]),
    [
      ["wake", "built-in", [], null],
      ["agent", "built-in", [], null],
      ["github", "mapped", ["issues"], null],
    ],
  );
  const paused = await rouse("hooks", "pause", "github");
  assert.deepEqual(
    [paused.code, paused.stdout],
    [0, "The hook github is paused: its requests are stored, and their runs wait.\n"],
  );
  assert.match((await rouse("hooks")).stdout, /^github +mapped +paused \d{4}-.*Z +issues$/m);
  assert.match((await rouse("hooks")).stdout, /^agent +built-in +open +-$/m);
  const again = await rouse("hooks", "pause", "github");
  assert.equal(again.code, 1);
  assert.match(again.stderr, /is paused already/);
  await store.accept(anAcceptance({ hook: "github", runs: [aRun({ hook: "github" })] }));
  assert.equal((await startRun(store, await claimNext(store))).kind, "parked");
  assert.deepEqual(json(await rouse("hooks", "resume", "github", "--json")), {
    hook: "github",
    paused: false,
    released: 1,
  });
  assert.match((await rouse("hooks", "resume", "github")).stderr, /is not paused/);
  const audit = (await store.searchAudit({ limit: 10, before: null })).items;
  assert.deepEqual(
    audit.map(({ verb, subject, outcome }) => [verb, subject, outcome]),
    [
      ["hook.resume", "github", "refused"],
      ["hook.resume", "github", "done"],
      ["hook.pause", "github", "refused"],
      ["hook.pause", "github", "done"],
    ],
  );
});

test("a hook that there is not cannot be paused; one that was taken out of the config can be resumed", async (t) => {
  const { rouse, store } = await homeWithMapping(t);
  const unknown = await rouse("hooks", "pause", "gihtub");
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /There is no hook gihtub\. Did you mean github\? List them: rouse hooks/);
  for (const argv of [["pause"], ["halt", "github"], ["pause", "github", "agent"]])
    assert.equal((await rouse("hooks", ...argv)).code, 2, argv.join(" "));
  assert.deepEqual(await store.pausedHooks(), []);
  await store.pauseHook("gone");
  assert.match((await rouse("hooks")).stdout, /^gone +mapped +paused /m);
  assert.equal((await rouse("hooks", "resume", "gone")).code, 0);
});

test("a name that only a mapping without a path takes can be paused", async (t) => {
  const { rouse, store } = await homeWithMapping(t, { source: "ci" });
  assert.equal((await rouse("hooks", "pause", "builds")).code, 0);
  assert.deepEqual(
    (await store.pausedHooks()).map(({ hook }) => hook),
    ["builds"],
  );
});
