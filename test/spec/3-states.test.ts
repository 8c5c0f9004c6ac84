// Specification, section 3, settled by the contract, section 5: the states of runs, and how each ends.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { newId } from "../../src/core/id.ts";
import { plainText } from "../../src/core/message.ts";
import { summaryOf } from "../../src/session/summary.ts";
import {
  forEachStore,
  gated,
  program,
  replying,
  startTestGateway,
  type TestGateway,
} from "../support/gateway.ts";

async function begin(gateway: TestGateway, agentId: string, fields: Record<string, unknown> = {}) {
  const request = { message: "m", agentId, deliver: false, wakeMode: "next-heartbeat", ...fields };
  const { status, json } = await gateway.post("agent", request);
  assert.equal(status, 202);
  return String(json["runId"]);
}

/** With its summaries, found by its name. */
async function end(gateway: TestGateway, id: string) {
  const run = await gateway.ended(id);
  const events = await gateway.events("summary");
  const { name } = run.request;
  const texts = events.map(({ text }) => plainText(text));
  const summaries = texts.filter((text) => text.startsWith(name === null ? "Hook" : `Hook ${name}`));
  return { ...run, summaries };
}

/** Fails in this way until it has been tried this often. */
const failingUntil = (id: string, attempt: number, failure: string) =>
  program(
    id,
    `fs.appendFileSync("${id}", "x");
     if (fs.readFileSync("${id}", "utf8").length < ${attempt}) { ${failure} }
     else process.stdout.write("at last");`,
  );

const isRunning = (gateway: TestGateway, id: string) =>
  gateway.waitFor("it to run", async () => (await gateway.inspect.findRun(id))?.status === "running");

describe("states", { concurrency: 4 }, () => {
  forEachStore("queued, running, succeeded, one by one", async (t, store) => {
    const agents = { maxConcurrent: 1, list: [gated("main")] };
    const gateway = await startTestGateway(t, { agents }, { store });
    const [first, second] = [await begin(gateway, "main"), await begin(gateway, "main")];
    await isRunning(gateway, first);
    const waiting = await gateway.inspect.findRun(second);
    assert.deepEqual([waiting?.status, waiting?.attempts, waiting?.startedAt], ["queued", 0, null]);

    const cancelled = await begin(gateway, "main", { name: "Never" });
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
    const { status, attempts, startedAt, summaries } = await end(gateway, cancelled);
    assert.deepEqual([status, attempts, startedAt], ["cancelled", 0, null], "and never runs");
    assert.deepEqual(summaries, ["Hook Never (cancelled): it was cancelled"]);
    const again = await gateway.inspect.cancelRun(cancelled, { error, summary: null, heartbeat: null });
    assert.equal(again, "ended", "an end is final");
  });

  forEachStore("a run without a name has the summary Hook: text", async (t, store) => {
    const gateway = await startTestGateway(t, { agents: { list: [replying("main", "Hello")] } }, { store });
    const { summaries } = await end(gateway, await begin(gateway, "main"));
    assert.deepEqual(summaries, ["Hook: Hello"]);
  });

  forEachStore("how a run ends", async (t, store) => {
    const list = [
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
    const agents = { maxConcurrent: 9, maxAttempts: 2, list };
    const gateway = await startTestGateway(t, { agents }, { store });
    const run = async (agentId: string, fields: Record<string, unknown> = {}) =>
      end(gateway, await begin(gateway, agentId, { name: agentId, ...fields }));
    const cases: Record<string, () => Promise<void>> = {
      async "succeeded: the summary is Hook NAME: text"() {
        const { status, attempts, reply, error, summaries } = await run("green");
        assert.deepEqual([status, attempts, reply, error], ["succeeded", 1, "All green.", null]);
        assert.deepEqual(summaries, ["Hook green: All green."]);
      },
      async "succeeded: the reply is kept whole, the summary's text up to 2000 characters"() {
        const { reply, summaries } = await run("long");
        assert.equal(reply?.length, 5000);
        assert.deepEqual(summaries, [`Hook long: ${"x".repeat(1999)}…`]);
      },
      async "failed: an agent that gives no reply"() {
        const { status, attempts, summaries } = await run("blank");
        assert.deepEqual([status, attempts], ["failed", 1]);
        assert.deepEqual(summaries, ["Hook blank (failed): the command gave no reply"]);
      },
      async "failed: a refusal is not tried again"() {
        const { status, attempts, reply, error, summaries } = await run("refusing");
        const reason = "the command ended with exit code 3: not allowed";
        assert.deepEqual([status, attempts, reply, error], ["failed", 1, null, reason]);
        assert.equal(gateway.read("refused"), "x");
        assert.deepEqual(summaries, [`Hook refusing (failed): ${reason}`]);
      },
      async "a failure that may pass is tried again, with back-off, and leaves one summary"() {
        for (const { status, attempts, reply, startedAt, endedAt, summaries } of await Promise.all([
          run("busy"),
          run("crashing"),
        ])) {
          assert.deepEqual([status, attempts, reply], ["succeeded", 2, "at last"]);
          assert.ok(endedAt! - startedAt! >= 400, "it was not tried again at once");
          assert.equal(summaries.length, 1);
          assert.match(summaries[0] ?? "", /^Hook (busy|crashing): at last$/);
        }
      },
      async "failed: after agents.maxAttempts a failure that may pass stays one"() {
        const { status, attempts, summaries } = await run("hopeless");
        assert.deepEqual([status, attempts], ["failed", 2]);
        assert.deepEqual(summaries, ["Hook hopeless (failed): the command ended with exit code 75"]);
      },
      async "timeoutSeconds counts over all attempts: without time left there is no other"() {
        const { status, attempts } = await run("hurried", { timeoutSeconds: 0.5 });
        assert.ok(status === "failed" || status === "timed-out", status);
        assert.equal(attempts, 1);
      },
      async "timed-out: timeoutSeconds bounds the run, and it is not tried again"() {
        const { status, attempts, reply, summaries } = await run("slow", {
          name: "Late",
          timeoutSeconds: 0.4,
        });
        assert.deepEqual([status, attempts, reply], ["timed-out", 1, null]);
        assert.deepEqual(summaries, ["Hook Late (timed-out): no reply within 0.4 seconds"]);
      },
      async "cancelled while running: its agent is stopped"() {
        const id = await begin(gateway, "slow", { name: "Stop" });
        await isRunning(gateway, id);
        const asked = await gateway.inspect.cancelRun(id, {
          error: "unused",
          summary: null,
          heartbeat: null,
        });
        assert.equal(asked, "requested");
        const { status, reply, summaries } = await end(gateway, id);
        assert.deepEqual([status, reply], ["cancelled", null]);
        assert.deepEqual(summaries, ["Hook Stop (cancelled): it was cancelled"]);
      },
    };
    const begun = Object.entries(cases).map(([name, body]) => t.test(name, body));
    await Promise.all(begun);
  });

  forEachStore(
    "timed-out: agents.defaults.timeoutSeconds where the request says nothing",
    async (t, store) => {
      const defaults = { timeoutSeconds: 0.4, heartbeat: { every: "0" } };
      const gateway = await startTestGateway(t, { agents: { defaults, list: [gated("main")] } }, { store });
      assert.equal((await gateway.ended(await begin(gateway, "main"))).status, "timed-out");
    },
  );
});
