import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { aRequest, anAcceptance, anEvent } from "../../../test/builders/acceptance.ts";
import { aRun } from "../../../test/builders/run.ts";
import { aDelivery, aSettlement } from "../../../test/builders/settlement.ts";
import { aRunRow, after, runFacts, timelineFacts, unfinished } from "../../../test/builders/timeline.ts";
import { createFakeClock, type FakeClock } from "../../../test/fakes/clock.ts";
import { createStoredHome, createTestContext, json } from "../../../test/fixtures/command-line.ts";
import { eventually } from "../../../test/fakes/clock.ts";
import type { NewRun } from "../../core/run.ts";
import { claimNext, startRun } from "../../store/ports/harness.contract.ts";
import type { Store } from "../../store/ports/store.ts";
import type { Step } from "../../timeline/step.ts";
import { timelineOf } from "../../timeline/timeline.ts";
import { dispatch } from "../dispatch.ts";
import { newSteps } from "./show-run.ts";

type Fields = Record<string, unknown>;

async function acceptRequested(store: Store, parts: Partial<NewRun> = {}) {
  const request = aRequest({ hook: "github", body: Buffer.from([0x7b, 0xff, 0x0a, 0x7d]) });
  const run = aRun({ hook: "github", requestId: request.id, ...parts });
  await store.accept(anAcceptance({ hook: "github", request, runs: [run] }));
  return { request, run };
}

const attempt = {
  number: 1,
  node: "harbour-a",
  workedMs: 5,
  outcome: "succeeded",
  reason: null,
  toolCalls: [{ name: "read", atMs: 1, tookMs: 2, ok: true, input: null, output: null }],
} as const;

async function settle(store: Store, run: NewRun) {
  const delivery = aDelivery({ runId: run.id, text: "done" });
  const summary = anEvent("Hook Test: done", { source: "summary" });
  await store.settleRun({ ...run, lease: "lease" }, aSettlement({ attempt, delivery, summary }));
}

test("requests show reads the whole way from a real store, for people and as JSON", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  const { request, run } = await acceptRequested(store);
  await startRun(store, await claimNext(store), { prompt: "Look" });
  await settle(store, run);
  const { stdout } = await rouse(["requests", "show", request.id]);
  for (const line of [
    /^request .*, run .*, succeeded$/m,
    /✓ {2}Received +POST \/hooks\/agent, 127\.0\.0\.1, 2 bytes$/m,
    new RegExp(`✓ {2}Stored +run ${run.id}$`, "m"),
    /✓ {2}Prompt +no text from outside, 4 characters$/m,
    /✓ {2}Attempt 1 +main on harbour-a, 5 ms, 1 tool call\n +read +ok +2 ms$/m,
    /✓ {2}Reply +4 characters\n +\| done$/m,
    /▸ {2}Delivery +telegram, 12345, being sent$/m,
    /○ {2}Summary +waits for the main session's next turn$/m,
  ])
    assert.match(stdout, line);
  const resource = json(await rouse(["requests", "show", request.id, "--json"])) as Fields;
  assert.equal(resource["id"], request.id);
  const { steps, spans, status } = resource["timeline"] as {
    steps: Fields[];
    spans: Fields[];
    status: string;
  };
  assert.equal(status, "succeeded");
  assert.deepEqual(
    steps.map(({ kind }) => kind),
    ["received", "decided", "stored", "waited", "prompt", "attempt", "reply", "delivered", "summary"],
  );
  assert.match(String(steps[0]?.["at"]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(spans.at(-1)?.["kind"], "sending");
  const record = json(await rouse(["runs", "show", run.id, "--json"])) as Fields;
  assert.equal(record["attempts"], 1);
  const [kept] = record["attemptRecords"] as Fields[];
  assert.deepEqual([kept?.["number"], kept?.["node"], kept?.["outcome"]], [1, "harbour-a", "succeeded"]);
});

test("requests show --body: as it came into a pipe, clean on a terminal, and why there is none", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  const { request } = await acceptRequested(store);
  assert.equal((await rouse(["requests", "show", request.id, "--body"])).stdout, "{\u00ff\n}");
  const shown = await rouse(["requests", "show", request.id, "--body"], { isTerminal: true, columns: 80 });
  assert.equal(shown.stdout, "{\ufffd\n}\n");
  const bare = aRequest();
  await store.recordRequest({ request: bare, outcome: "skipped", reason: "no" });
  const missing = await rouse(["requests", "show", bare.id, "--body"]);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /The body of request .* is not kept: hooks\.keepRequests says how long/);
  assert.equal((await rouse(["requests", "show", bare.id, "--body", "--json"])).code, 2);
  assert.equal((await rouse(["requests", "show"])).code, 2);
  assert.equal((await rouse(["requests", "show", "none"])).code, 1);
});

test("a run of a conversation says behind which one it waits, and has waited", async (t) => {
  const clock = createFakeClock();
  const { store, rouse } = await createStoredHome(t, clock);
  const { run: first } = await acceptRequested(store, { sessionKey: "hook:a" });
  const { run: second } = await acceptRequested(store, { sessionKey: "hook:a" });
  await claimNext(store);
  const waits = (await rouse(["runs", "show", second.id])).stdout;
  assert.match(waits, new RegExp(`Waits +behind ${first.id} of the same conversation$`, "m"));
  await clock.advance(2000);
  await settle(store, first);
  await startRun(store, await claimNext(store));
  const waited = (await rouse(["runs", "show", second.id])).stdout;
  assert.match(waited, new RegExp(`Waited +2\\.0 s behind ${first.id} of the same conversation$`, "m"));
});

async function following(t: TestContext, argv: string[] = []) {
  const clock: FakeClock = createFakeClock();
  const { store, env } = await createStoredHome(t, clock);
  const { run } = await acceptRequested(store);
  const { context, written, signal } = createTestContext(["runs", "show", run.id, "--follow", ...argv], {
    env,
    clock,
  });
  const code = dispatch(context);
  const shows = (words: RegExp) =>
    eventually(async () => {
      await clock.advance(500);
      return words.test(written.stdout);
    }, String(words));
  return { store, run, code, written, signal, shows, clock };
}

test("runs show --follow prints each step once as it comes, and ends with the run", async (t) => {
  const { store, run, code, written, shows } = await following(t);
  await shows(/▸ {2}Waits +for a slot\n$/);
  await startRun(store, await claimNext(store), { prompt: "Look" });
  await shows(/▸ {2}Attempt 1 +main is at work, for .* now\n$/);
  await settle(store, run);
  await shows(/Summary/);
  assert.equal(await code, 0);
  for (const title of ["Received", "Prompt", "Reply", "Delivery", "Summary"])
    assert.equal(written.stdout.split(` ${title} `).length, 2, title);
  assert.equal(written.stdout.split(" Attempt 1 ").length, 3);
});

test("runs show --follow of a run that fails has the exit code 1, and prints JSON lines", async (t) => {
  const { store, run, code, written, shows } = await following(t, ["--json"]);
  await shows(/"kind":"waited"/);
  await startRun(store, await claimNext(store));
  const next = { kind: "ended", status: "failed", reply: null, error: "exit code 1" } as const;
  await store.settleRun({ ...run, lease: "lease" }, aSettlement({ next }));
  await shows(/"kind":"reply"/);
  assert.equal(await code, 1);
  const steps = written.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Fields);
  assert.ok(steps.some(({ kind, state }) => kind === "attempt" && state === "failed"));
});

test("runs show --follow ends at a signal, and the run does not", async (t) => {
  const { store, run, code, written, signal, shows } = await following(t);
  await shows(/Waits/);
  signal();
  assert.equal(await code, 1);
  assert.match(written.stderr, /Stopped looking\. The run is queued, and goes on by itself\./);
  assert.equal((await store.findRun(run.id))?.status, "queued");
});

test("what goes on is printed again when it is over, and what is to come only at the end", () => {
  const printed = new Map<string, string>();
  const states = (steps: readonly Step[], isOver: boolean) =>
    newSteps(
      steps.filter(({ runId }) => runId !== null),
      printed,
      isOver,
    ).map(({ title, state }) => `${title} ${state}`);
  const { steps } = timelineOf(timelineFacts({ runs: [unfinished({})] }), after(10));
  assert.deepEqual(states(steps, false), ["Waits now"]);
  assert.deepEqual(states(steps, false), []);
  const prompt = { at: after(5), characters: 1, texts: [] };
  const run = { status: "running", attempts: 1, startedAt: after(5) } as const;
  const working = timelineOf(timelineFacts({ runs: [unfinished(run, { prompt })] }), after(10));
  assert.deepEqual(states(working.steps, false), ["Waited waited", "Prompt done", "Attempt 1 now"]);
  const ended = runFacts({
    run: aRunRow({ startedAt: after(5) }),
    prompt,
    deliveries: [],
    summary: { id: "e", shownAt: null },
  });
  assert.deepEqual(states(timelineOf(timelineFacts({ runs: [ended] }), after(30_000)).steps, true), [
    "Attempt 1 done",
    "Reply done",
    "No delivery none",
    "Summary to-come",
  ]);
});
