import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { aRequest, anAcceptance, anUnusedRequest } from "../../../test/builders/acceptance.ts";
import { aRun, aRunRequest } from "../../../test/builders/run.ts";
import { aDelivery, aDeliverySettlement, aSettlement } from "../../../test/builders/settlement.ts";
import { createFakeClock, eventually } from "../../../test/fakes/clock.ts";
import { createStoredHome, createTestContext } from "../../../test/fixtures/command-line.ts";
import type { NewRun } from "../../core/run.ts";
import { claim, claimNext } from "../../store/ports/harness.contract.ts";
import type { Store } from "../../store/ports/store.ts";
import { dispatch } from "../dispatch.ts";

async function acceptRequested(store: Store, hook = "github", parts: Partial<NewRun> = {}): Promise<NewRun> {
  const request = aRequest({ hook });
  const run = aRun({ hook, requestId: request.id, ...parts });
  await store.accept(anAcceptance({ hook, request, runs: [run] }));
  return run;
}

/** A run that ended with a reply that was sent. */
async function finish(store: Store, run: NewRun): Promise<void> {
  const delivery = aDelivery({ runId: run.id });
  await store.settleRun({ ...run, lease: "lease" }, aSettlement({ delivery }));
  await store.claimDeliveries({ channel: "telegram", limit: 1, lease: "d", leaseMs: 1000 });
  await store.settleDelivery({ id: delivery.id, lease: "d" }, aDeliverySettlement());
}

/** `run running github`, without times and ids. */
const read = (stdout: string): string[] =>
  stdout
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(/ +/).slice(1, 4).join(" "));

test("logs: a line for each moment of requests, runs and deliveries, oldest first", async (t) => {
  const clock = createFakeClock();
  const { store, rouse } = await createStoredHome(t, clock);
  assert.match((await rouse(["logs"])).stderr, /Nothing has happened/);
  const run = await acceptRequested(store);
  await clock.advance(1_500);
  await claim(store);
  await clock.advance(1_000);
  await finish(store, run);
  await clock.advance(1_000);
  await store.recordRequest(
    anUnusedRequest({ outcome: "refused", reason: "agent-unknown: no" }, { hook: "stripe" }),
  );
  const { stdout } = await rouse(["logs"]);
  assert.deepEqual(read(stdout), [
    "request accepted github",
    "run running github",
    "run succeeded github",
    "delivery sent github",
    "request refused stripe",
  ]);
  const [accepted = "", started = "", ended = "", sent = "", refused = ""] = stdout.split("\n");
  assert.match(accepted, new RegExp(`^2026-01-01T00:00:00\\.000Z request .* run ${run.id}$`));
  assert.match(started, /main, "Test", waited 1\.5 s$/);
  assert.match(ended, /main, "Test", 1\.0 s$/);
  assert.match(sent, new RegExp(`telegram, 12345, 1 message, run ${run.id}$`));
  assert.match(refused, /agent-unknown: no$/);
  assert.equal(read((await rouse(["logs", "--limit", "2"])).stdout)[0], "delivery sent github");
  assert.deepEqual(read((await rouse(["logs", "--hook", "stripe"])).stdout), ["request refused stripe"]);
  const lines = (await rouse(["logs", "--json"])).stdout.trim().split("\n");
  const first = JSON.parse(lines[0] ?? "") as Record<string, unknown>;
  assert.deepEqual(Object.keys(first), ["at", "kind", "id", "status", "hook", "text"]);
  assert.equal(lines.length, 5);
});

test("logs --since: everything that was stored since then, however much it is", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  const unused = Array.from({ length: 700 }, () => anUnusedRequest({}, { hook: "ping" }));
  await Promise.all(unused.map((each) => store.recordRequest(each)));
  assert.equal(read((await rouse(["logs"])).stdout).length, 50);
  assert.equal(read((await rouse(["logs", "--since", "1h"])).stdout).length, 700);
  assert.equal((await rouse(["logs", "--since", "soon"])).code, 2);
  assert.equal((await rouse(["logs", "more"])).code, 2);
});

async function following(t: TestContext) {
  const clock = createFakeClock();
  const { store, env } = await createStoredHome(t, clock);
  const { context, written, signal } = createTestContext(["logs", "--follow"], { env, clock });
  const prints = (words: RegExp) =>
    eventually(async () => {
      await clock.advance(1_000);
      return words.test(written.stdout);
    }, String(words));
  return { clock, store, written, signal, prints, start: () => dispatch(context) };
}

test("logs --follow prints each moment once, as it comes, until a signal", async (t) => {
  const { store, written, signal, prints, start } = await following(t);
  const first = await acceptRequested(store);
  const code = start();
  await prints(/request +accepted/);
  await claim(store);
  await prints(/run +running/);
  await finish(store, first);
  await prints(/delivery +sent/);
  await acceptRequested(store, "other");
  await prints(/accepted +other/);
  signal();
  assert.equal(await code, 0);
  assert.deepEqual(read(written.stdout), [
    "request accepted github",
    "run running github",
    "run succeeded github",
    "delivery sent github",
    "request accepted other",
  ]);
});

test("logs --follow sees the end of a run behind which many others came, and loses none of these", async (t) => {
  const { store, written, signal, prints, start } = await following(t);
  const slow = await acceptRequested(store, "slow");
  await claimNext(store);
  const code = start();
  await prints(/running +slow/);
  const unused = Array.from({ length: 600 }, () => anUnusedRequest({}, { hook: "ping" }));
  const runs = Array.from({ length: 600 }, () => aRun({ hook: "quick" }));
  await Promise.all(unused.map((each) => store.recordRequest(each)));
  await store.accept(anAcceptance({ runs }));
  await finish(store, slow);
  await prints(/succeeded +slow/);
  const { claimed } = await store.claimRuns({ kind: "hook", limit: 600, lease: "all", leaseMs: 100_000 });
  assert.equal(claimed.length, 600);
  await eventually(async () => {
    await prints(/running +quick/);
    return read(written.stdout).filter((line) => line === "run running quick").length === 600;
  });
  signal();
  assert.equal(await code, 0);
  assert.equal(read(written.stdout).filter((line) => line === "request skipped ping").length, 600);
});

test("logs says of a run that waits when it is tried again, and why one is parked", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  const run = await acceptRequested(store, "github", { request: aRunRequest({ name: "x\u001b[2J\u202ey" }) });
  await claim(store);
  const next = { kind: "retry", delayMs: 60_000, error: "529 overloaded" } as const;
  await store.settleRun({ ...run, lease: "lease" }, aSettlement({ next }));
  const { stdout } = await rouse(["logs"]);
  assert.match(stdout, /run +retry +github .* main, "x\[2Jy", next try in .*, 529 overloaded$/m);
  assert.ok(!stdout.includes("\u001b") && !stdout.includes("\u202e"));
});
