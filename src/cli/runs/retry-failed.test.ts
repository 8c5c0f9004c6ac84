import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import { aRun } from "../../../test/builders/run.ts";
import { aSettlement } from "../../../test/builders/settlement.ts";
import { answering, createStoredHome, createTestContext, json } from "../../../test/fixtures/command-line.ts";
import type { EndStatus, NewRun } from "../../core/run.ts";
import { acceptRuns, claim } from "../../store/ports/harness.contract.ts";
import type { Store } from "../../store/ports/store.ts";
import { retryFailed } from "./retry-failed.ts";

type Fields = Record<string, unknown>;

async function end(store: Store, status: EndStatus, parts: Partial<NewRun> = {}, acted = false) {
  const run = aRun(parts);
  await acceptRuns(store, run);
  await claim(store);
  const claimed = { ...run, lease: "lease" };
  if (acted) await store.markActed(claimed);
  const next = { kind: "ended", status, reply: null, error: "why" } as const;
  assert.ok(await store.settleRun(claimed, aSettlement({ next })));
  return run.id;
}

async function afterAnOutage(t: TestContext) {
  const home = await createStoredHome(t);
  const { store } = home;
  const github = [
    await end(store, "failed", { hook: "github", sessionKey: "hook:talk" }),
    await end(store, "timed-out", { hook: "github", sessionKey: "hook:talk" }),
  ];
  const other = await end(store, "failed", { agentId: "helper" }, true);
  await end(store, "succeeded");
  await end(store, "cancelled");
  const queued = async () =>
    (await store.listRuns({ kind: "hook", limit: null })).filter(({ status }) => status === "queued");
  return { ...home, github, other, queued };
}

const all = ["runs", "retry", "--failed", "--since", "1h"];

test("retry --failed queues every run that failed or timed out, once", async (t) => {
  const { rouse, store, github, other, queued } = await afterAnOutage(t);
  const done = await rouse([...all, "--yes"]);
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, /^3 runs that failed or timed out since .*Z, not retried yet:$/m);
  assert.match(done.stdout, /^ {2}hooks: {2}github 2, agent 1$/m);
  assert.match(done.stdout, /^ {2}agents: main 2, helper 1$/m);
  assert.match(done.stdout, /^ {2}1 of them called a tool that changes something/m);
  assert.match(done.stdout, /^3 runs were queued again\.$/m);
  const copies = (await queued()).map(({ id }) => id).toReversed();
  const retriedAs: (string | null | undefined)[] = [];
  for (const id of [...github, other]) retriedAs.push((await store.findRun(id))?.retriedAs);
  assert.deepEqual(retriedAs, copies, "in the order in which they ended");
  const shown = json(await rouse(["runs", "show", other, "--json"])) as Fields;
  assert.deepEqual([shown["status"], shown["retriedAs"]], ["failed", copies[2]]);

  const again = await rouse([...all, "--yes"]);
  assert.equal(again.code, 0);
  assert.match(again.stdout, /^No run that failed or timed out since .* is left to retry\.\n$/);
  assert.equal((await queued()).length, 3);
});

test("retry --failed can be narrowed, and gives its result as JSON", async (t) => {
  const { rouse, github, other, queued } = await afterAnOutage(t);
  const first = json(await rouse([...all, "--hook", "github", "--limit", "1", "--yes", "--json"])) as Fields;
  const [copy] = await queued();
  const { since: _since, until: _until, ...rest } = first;
  assert.deepEqual(rest, {
    count: 1,
    hooks: { github: 1 },
    agents: { main: 1 },
    acted: 0,
    retried: [{ id: copy?.id, retryOf: github[0], status: "queued" }],
  });
  const second = json(await rouse([...all, "--agent", "Helper", "--yes", "--json"])) as Fields;
  assert.deepEqual(
    (second["retried"] as Fields[]).map(({ retryOf }) => retryOf),
    [other],
  );
  const nothing = json(await rouse([...all, "--hook", "nowhere", "--yes", "--json"])) as Fields;
  assert.deepEqual([nothing["count"], nothing["retried"]], [0, []]);
  const early = ["runs", "retry", "--failed", "--since", "2026-01-01T00:00:00Z", "--yes", "--json"];
  assert.equal((json(await rouse(early)) as Fields)["count"], 1, "the one that is left");
});

test("retry --failed --dry-run only tells its plan", async (t) => {
  const { rouse, queued } = await afterAnOutage(t);
  const plan = await rouse([...all, "--dry-run"]);
  assert.equal(plan.code, 0);
  assert.match(plan.stdout, /github 2, agent 1[^]*Nothing was queued: --dry-run\.\n$/);
  const resource = json(await rouse([...all, "--dry-run", "--json"])) as Fields;
  assert.deepEqual(resource["hooks"], { github: 2, agent: 1 });
  assert.ok(!("retried" in resource));
  assert.deepEqual(await queued(), []);
});

test("stopped in the middle, retry --failed goes on with what is left", async (t) => {
  const { rouse, store, queued } = await afterAnOutage(t);
  const page = { endedFrom: 0, endedUntil: Date.now(), hook: null, agentId: null, limit: 2, after: null };
  const step = (await store.listFailedRuns(page)).map(({ id }, index) => ({ id, newId: `copy-${index}` }));
  await store.repeatFailedRuns(step);
  const rest = json(await rouse([...all, "--yes", "--json"])) as Fields;
  assert.equal((rest["retried"] as Fields[]).length, 1);
  assert.equal((await queued()).length, 3);
});

test("a run whose request cannot be read is named and left as it is; the others are queued", async (t) => {
  const { folder, rouse, store, other, queued } = await afterAnOutage(t);
  const database = new DatabaseSync(join(folder, "rouse.db"));
  database.prepare("update run set request = '[' where id = ?").run(other);
  database.close();
  const done = await rouse([...all, "--yes"]);
  assert.equal(done.code, 1);
  assert.match(done.stderr, new RegExp(`Run ${other} cannot be retried: .*its column request is no JSON`));
  assert.match(done.stdout, /^2 runs were queued again\.$/m);
  assert.equal((await queued()).length, 2);
  assert.equal((await store.findRun(other))?.retriedAs, null);
});

test("more than one step are all queued", async (t) => {
  const { rouse, store } = await createStoredHome(t);
  await acceptRuns(store, ...Array.from({ length: 205 }, () => aRun()));
  const { claimed } = await claim(store, { limit: 205 });
  const next = { kind: "ended", status: "failed", reply: null, error: "why" } as const;
  await Promise.all(claimed.map((run) => store.settleRun(run, aSettlement({ next }))));
  assert.equal((json(await rouse([...all, "--limit", "203", "--yes", "--json"])) as Fields)["count"], 203);
  assert.equal((json(await rouse([...all, "--dry-run", "--json"])) as Fields)["count"], 2);
});

for (const [answer, code] of [
  ["y", 0],
  ["n", 1],
  ["\u0003", 1],
] as const)
  test(`on a terminal a person is asked: ${JSON.stringify(answer)} exits ${code}`, async (t) => {
    const { env, queued } = await afterAnOutage(t);
    const { terminal, shown } = answering(answer);
    const { context, written } = createTestContext(all.slice(1), { env });
    assert.equal(await retryFailed(context, terminal), code);
    assert.match(shown(), /Queue 3 runs again\?/);
    assert.match(written.stdout, /hooks: {2}github 2, agent 1/);
    assert.equal((await queued()).length, code === 0 ? 3 : 0);
  });

test("wrong usage of retry --failed says what is missing, and changes nothing", async (t) => {
  const { rouse, github, queued } = await afterAnOutage(t);
  for (const [argv, message] of [
    [["--failed"], /--failed needs --since/],
    [["--since", "1h"], /--failed --since 1h/],
    [["--failed", "--since", "soon", "--yes"], /30m, 1h or 2d/],
    [["--failed", "--since", "2999-01-01", "--yes"], /must not be in the future/],
    [["--failed", "--since", "1h"], /Nobody can be asked here: say --yes/],
    [["--failed", "--since", "1h", "--json"], /say --yes/],
    [["--failed", "--since", "1h", "--yes", "--limit", "0"], /--limit must be/],
    [["--failed", "--since", "1h", "--yes", "--kind", "hook"], /no option --kind/],
    [[github[0]!, "--failed", "--since", "1h", "--yes"], /either an id, or --failed/],
    [[], /Which run\?/],
  ] as const) {
    const { code, stderr } = await rouse(["runs", "retry", ...argv]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, message);
  }
  assert.deepEqual(await queued(), []);
});

test("a run that waits for its next try says when, and why, in the list and alone", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  const run = aRun();
  await acceptRuns(store, run);
  await claim(store);
  const next = { kind: "retry", delayMs: 60_000, error: "down" } as const;
  await store.settleRun({ ...run, lease: "lease" }, aSettlement({ next }));
  const at = new Date((await store.findRun(run.id))!.nextTryAt!).toISOString();
  const words = `next try at ${at.slice(0, 19)}Z, after: down`;
  assert.ok((await rouse(["runs"])).stdout.includes(words));
  const shown = (await rouse(["runs", "show", run.id])).stdout;
  assert.match(shown, new RegExp(`^run ${run.id}, queued$`, "m"));
  assert.match(shown, /Attempt 1 +main, failed: down\n/);
  assert.match(shown, new RegExp(`Attempt 2 +at ${at.slice(11, 19)}, in (?:1 m|5\\d\\.\\d s)\\n`));
  const resource = json(await rouse(["runs", "show", run.id, "--json"])) as Fields;
  assert.deepEqual([resource["error"], resource["nextTryAt"]], ["down", at]);
  const [listed] = json(await rouse(["runs", "--json"])) as Fields[];
  assert.equal(listed?.["error"], "down");
});
