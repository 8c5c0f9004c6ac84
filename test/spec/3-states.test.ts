// Specification, section 3, settled by the contract, section 5: the states of runs, and how each ends.
import assert from "node:assert/strict";
import { describe, type TestContext } from "node:test";
import { newId } from "../../src/core/id.ts";
import { plainText } from "../../src/core/message.ts";
import { summaryOf } from "../../src/session/summary.ts";
import {
  forEachStore,
  gated,
  program,
  replying,
  startTestGateway,
  type StoreKind,
  type TestGateway,
} from "../support/gateway.ts";

async function accept(gateway: TestGateway, agentId: string, fields: Record<string, unknown> = {}) {
  const request = { message: "m", agentId, deliver: false, wakeMode: "next-heartbeat", ...fields };
  const { status, json } = await gateway.post("agent", request);
  assert.equal(status, 202);
  return String(json["runId"]);
}

/** The ended run with its summaries, which are found by its name. */
async function endOf(gateway: TestGateway, id: string) {
  const run = await gateway.ended(id);
  const events = await gateway.events("summary");
  const { name } = run.request;
  const texts = events.map(({ text }) => plainText(text));
  const summaries = texts.filter((text) => text.startsWith(name === null ? "Hook" : `Hook ${name}`));
  return { ...run, summaries };
}

/** Fails in this way before this attempt. */
const failingUntil = (id: string, attempt: number, failure: string) =>
  program(
    id,
    `fs.appendFileSync("${id}", "x");
     if (fs.readFileSync("${id}", "utf8").length < ${attempt}) { ${failure} }
     else process.stdout.write("at last");`,
  );

const isRunning = (gateway: TestGateway, id: string) =>
  gateway.waitFor("it to run", async () => (await gateway.inspect.findRun(id))?.status === "running");

const endings = [
  replying("green", " All green.\n"),
  replying("long", "x".repeat(5000)),
  replying("blank", " \n"),
  program(
    "refusing",
    `fs.appendFileSync("refused", "x"); console.error("not allowed"); process.exitCode = 3;`,
  ),
  failingUntil("busy", 2, "process.exitCode = 75;"),
  failingUntil("crashing", 2, 'process.kill(process.pid, "SIGKILL");'),
  failingUntil("hopeless", 9, "process.exitCode = 75;"),
  failingUntil("hurried", 9, "process.exitCode = 75;"),
  gated("slow"),
];

/** A gateway with an agent for each way a run can end. `run` resolves once the run has ended. */
async function startWithAgents(t: TestContext, store: StoreKind) {
  const agents = { maxConcurrent: 9, maxAttempts: 2, list: endings };
  const gateway = await startTestGateway(t, { agents }, { store });
  const run = async (agentId: string, fields: Record<string, unknown> = {}) =>
    endOf(gateway, await accept(gateway, agentId, { name: agentId, ...fields }));
  return { gateway, run };
}

describe("states", { concurrency: 4 }, () => {
  forEachStore("queued, running, succeeded, one by one", async (t, store) => {
    const agents = { maxConcurrent: 1, list: [gated("main")] };
    const gateway = await startTestGateway(t, { agents }, { store });
    const [first, second] = [await accept(gateway, "main"), await accept(gateway, "main")];
    await isRunning(gateway, first);
    const waiting = await gateway.inspect.findRun(second);
    assert.deepEqual([waiting?.status, waiting?.attempts, waiting?.startedAt], ["queued", 0, null]);

    const cancelled = await accept(gateway, "main", { name: "Never" });
    const stored = await gateway.inspect.findRun(cancelled);
    assert.ok(stored);
    const error = "it was cancelled";
    const summary = summaryOf(stored, newId(), { status: "cancelled", text: error });
    const asked = await gateway.inspect.cancelRun(cancelled, { error, summary, heartbeat: null });
    assert.equal(asked, "cancelled", "cancelled while queued: it ends at once");

    gateway.put("go");
    for (const id of [first, second]) {
      const { status, attempts, reply, createdAt, startedAt, endedAt, error: none } = await gateway.ended(id);
      assert.deepEqual([status, attempts, reply, none], ["succeeded", 1, "done", null]);
      assert.ok(createdAt <= startedAt! && startedAt! <= endedAt!);
    }
    const { status, attempts, startedAt, summaries } = await endOf(gateway, cancelled);
    assert.deepEqual([status, attempts, startedAt], ["cancelled", 0, null], "and never runs");
    assert.deepEqual(summaries, ["Hook Never (cancelled): it was cancelled"]);
    const again = await gateway.inspect.cancelRun(cancelled, { error, summary: null, heartbeat: null });
    assert.equal(again, "ended", "an end is final");
  });

  forEachStore("a run without a name has the summary Hook: text", async (t, store) => {
    const gateway = await startTestGateway(t, { agents: { list: [replying("main", "Hello")] } }, { store });
    const { summaries } = await endOf(gateway, await accept(gateway, "main"));
    assert.deepEqual(summaries, ["Hook: Hello"]);
  });

  forEachStore("succeeded and failed runs", async (t, store) => {
    const { gateway, run } = await startWithAgents(t, store);
    await Promise.all([
      t.test("succeeded: the summary is Hook NAME: text", async () => {
        const { status, attempts, reply, error, summaries } = await run("green");
        assert.deepEqual([status, attempts, reply, error], ["succeeded", 1, "All green.", null]);
        assert.deepEqual(summaries, ["Hook green: All green."]);
      }),
      t.test("succeeded: the reply is kept whole, the summary's text up to 2000 characters", async () => {
        const { reply, summaries } = await run("long");
        assert.equal(reply?.length, 5000);
        assert.deepEqual(summaries, [`Hook long: ${"x".repeat(1999)}…`]);
      }),
      t.test("failed: an agent that gives no reply", async () => {
        const { status, attempts, summaries } = await run("blank");
        assert.deepEqual([status, attempts], ["failed", 1]);
        assert.deepEqual(summaries, ["Hook blank (failed): the command gave no reply"]);
      }),
      t.test("failed: a refusal is not tried again", async () => {
        const { status, attempts, reply, error, summaries } = await run("refusing");
        const reason = "the command ended with exit code 3: not allowed";
        assert.deepEqual([status, attempts, reply, error], ["failed", 1, null, reason]);
        assert.equal(gateway.read("refused"), "x");
        assert.deepEqual(summaries, [`Hook refusing (failed): ${reason}`]);
      }),
    ]);
  });

  forEachStore("runs that are tried again", async (t, store) => {
    const { run } = await startWithAgents(t, store);
    await Promise.all([
      t.test("a failure that may pass is tried again, with back-off, and leaves one summary", async () => {
        for (const { status, attempts, reply, startedAt, endedAt, summaries } of await Promise.all([
          run("busy"),
          run("crashing"),
        ])) {
          assert.deepEqual([status, attempts, reply], ["succeeded", 2, "at last"]);
          assert.ok(endedAt! - startedAt! >= 400, "it was not tried again at once");
          assert.equal(summaries.length, 1);
          assert.match(summaries[0] ?? "", /^Hook (busy|crashing): at last$/);
        }
      }),
      t.test("failed: after agents.maxAttempts a failure that may pass stays one", async () => {
        const { status, attempts, summaries } = await run("hopeless");
        assert.deepEqual([status, attempts], ["failed", 2]);
        assert.deepEqual(summaries, ["Hook hopeless (failed): the command ended with exit code 75"]);
      }),
      t.test("timeoutSeconds counts over all attempts: without time left there is no other", async () => {
        const { status, attempts } = await run("hurried", { timeoutSeconds: 0.5 });
        assert.ok(status === "failed" || status === "timed-out", status);
        assert.equal(attempts, 1);
      }),
    ]);
  });

  forEachStore("runs that are stopped", async (t, store) => {
    const { gateway, run } = await startWithAgents(t, store);
    await Promise.all([
      t.test("timed-out: timeoutSeconds bounds the run, and it is not tried again", async () => {
        const { status, attempts, reply, summaries } = await run("slow", {
          name: "Late",
          timeoutSeconds: 0.4,
        });
        assert.deepEqual([status, attempts, reply], ["timed-out", 1, null]);
        assert.deepEqual(summaries, ["Hook Late (timed-out): no reply within 0.4 seconds"]);
      }),
      t.test("cancelled while running: its agent is stopped", async () => {
        const id = await accept(gateway, "slow", { name: "Stop" });
        await isRunning(gateway, id);
        const asked = await gateway.inspect.cancelRun(id, {
          error: "unused",
          summary: null,
          heartbeat: null,
        });
        assert.equal(asked, "requested");
        const { status, reply, summaries } = await endOf(gateway, id);
        assert.deepEqual([status, reply], ["cancelled", null]);
        assert.deepEqual(summaries, ["Hook Stop (cancelled): it was cancelled"]);
      }),
    ]);
  });

  forEachStore("timed-out: agents.defaults.timeoutSeconds where the request has none", async (t, store) => {
    const defaults = { timeoutSeconds: 0.4, heartbeat: { every: "0" } };
    const gateway = await startTestGateway(t, { agents: { defaults, list: [gated("main")] } }, { store });
    assert.equal((await gateway.ended(await accept(gateway, "main"))).status, "timed-out");
  });
});
