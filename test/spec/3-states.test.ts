// Specification, section 3, settled by the contract, section 5: the states of runs, and how each ends.
import assert from "node:assert/strict";
import { newId } from "../../src/core/id.ts";
import { summaryOf } from "../../src/session/summary.ts";
import {
  forEachStore,
  gated,
  program,
  replying,
  startTestGateway,
  type TestGateway,
} from "../support/gateway.ts";

const quiet = { deliver: false, wakeMode: "next-heartbeat" };

async function begin(gateway: TestGateway, agentId: string, fields: Record<string, unknown> = {}) {
  const { status, json } = await gateway.post("agent", { message: "m", agentId, ...quiet, ...fields });
  assert.equal(status, 202);
  return String(json["runId"]);
}

const run = async (gateway: TestGateway, agentId: string, fields: Record<string, unknown> = {}) =>
  gateway.ended(await begin(gateway, agentId, fields));

const summaries = async (gateway: TestGateway) =>
  (await gateway.events("summary")).map(({ text }) => text).toReversed();

/** Fails in a way that may pass, until it has been tried this often. */
const failingUntil = (id: string, attempt: number, failure: string) =>
  program(
    id,
    `fs.appendFileSync("${id}", "x");
     if (fs.readFileSync("${id}", "utf8").length < ${attempt}) { ${failure} }
     else process.stdout.write("at last");`,
  );

forEachStore("queued, running, succeeded", async (t, store) => {
  const gateway = await startTestGateway(
    t,
    { agents: { maxConcurrent: 1, list: [gated("main")] } },
    { store },
  );
  const [first, second] = [await begin(gateway, "main"), await begin(gateway, "main")];
  const state = async (id: string) => (await gateway.inspect.findRun(id))?.status;
  await gateway.waitFor("the first to run", async () => (await state(first)) === "running");
  const waiting = await gateway.inspect.findRun(second);
  assert.deepEqual([waiting?.status, waiting?.attempts, waiting?.startedAt], ["queued", 0, null]);
  gateway.put("go");
  for (const id of [first, second]) {
    const { status, attempts, reply, error, createdAt, startedAt, endedAt } = await gateway.ended(id);
    assert.deepEqual([status, attempts, reply, error], ["succeeded", 1, "done", null]);
    assert.ok(createdAt <= startedAt! && startedAt! <= endedAt!);
  }
});

forEachStore("succeeded: the summary is Hook NAME: text, without a name Hook: text", async (t, store) => {
  const gateway = await startTestGateway(
    t,
    { agents: { list: [replying("main", " All green.\n")] } },
    { store },
  );
  await run(gateway, "main", { name: "Build" });
  assert.deepEqual(await summaries(gateway), ["Hook Build: All green."]);
  await run(gateway, "main");
  assert.deepEqual(await summaries(gateway), ["Hook Build: All green.", "Hook: All green."]);
});

forEachStore("a summary's text has up to 2000 characters", async (t, store) => {
  const gateway = await startTestGateway(
    t,
    { agents: { list: [replying("main", "x".repeat(5000))] } },
    { store },
  );
  const { reply } = await run(gateway, "main", { name: "Long" });
  assert.equal(reply?.length, 5000, "the reply is kept whole");
  assert.deepEqual(await summaries(gateway), [`Hook Long: ${"x".repeat(1999)}…`]);
});

forEachStore("failed: a refusal is not tried again", async (t, store) => {
  const refusing = program(
    "main",
    `fs.appendFileSync("tries", "x"); console.error("not allowed"); process.exitCode = 3;`,
  );
  const gateway = await startTestGateway(t, { agents: { list: [refusing] } }, { store });
  const { status, attempts, reply, error } = await run(gateway, "main", { name: "Build" });
  const reason = "the command ended with exit code 3: not allowed";
  assert.deepEqual([status, attempts, reply, error], ["failed", 1, null, reason]);
  assert.equal(gateway.read("tries"), "x");
  assert.deepEqual(await summaries(gateway), [`Hook Build (failed): ${reason}`]);
});

forEachStore("failed: an agent that gives no reply", async (t, store) => {
  const gateway = await startTestGateway(t, { agents: { list: [replying("main", " \n")] } }, { store });
  const { status, attempts } = await run(gateway, "main");
  assert.deepEqual([status, attempts], ["failed", 1]);
  assert.deepEqual(await summaries(gateway), ["Hook (failed): the command gave no reply"]);
});

forEachStore("a failure that may pass is tried again, with back-off", async (t, store) => {
  const list = [
    failingUntil("temporary", 2, "process.exitCode = 75;"),
    failingUntil("crashing", 2, 'process.kill(process.pid, "SIGKILL");'),
  ];
  const gateway = await startTestGateway(t, { agents: { list } }, { store });
  const ids = [await begin(gateway, "temporary"), await begin(gateway, "crashing")];
  for (const id of ids) {
    const { status, attempts, reply, startedAt, endedAt } = await gateway.ended(id);
    assert.deepEqual([status, attempts, reply], ["succeeded", 2, "at last"]);
    assert.ok(endedAt! - startedAt! >= 400, "it was not tried again at once");
  }
  assert.deepEqual(await summaries(gateway), ["Hook: at last", "Hook: at last"], "one summary for each run");
});

forEachStore("failed: after agents.maxAttempts a failure that may pass stays one", async (t, store) => {
  const gateway = await startTestGateway(
    t,
    { agents: { maxAttempts: 2, list: [failingUntil("main", 9, "process.exitCode = 75;")] } },
    { store },
  );
  const { status, attempts } = await run(gateway, "main", { name: "Busy" });
  assert.deepEqual([status, attempts], ["failed", 2]);
  assert.deepEqual(await summaries(gateway), ["Hook Busy (failed): the command ended with exit code 75"]);
});

forEachStore(
  "failed: timeoutSeconds counts over all attempts, so without time left there is no other",
  async (t, store) => {
    const list = [failingUntil("main", 9, "process.exitCode = 75;")];
    const gateway = await startTestGateway(t, { agents: { list } }, { store });
    // Long enough for one attempt on a busy machine, and shorter than that and the shortest back-off.
    const { status, attempts } = await run(gateway, "main", { timeoutSeconds: 0.5 });
    assert.ok(status === "failed" || status === "timed-out", status);
    assert.equal(attempts, 1);
  },
);

forEachStore("timed-out: timeoutSeconds bounds the run, and it is not tried again", async (t, store) => {
  const gateway = await startTestGateway(t, { agents: { list: [gated("main")] } }, { store });
  const { status, attempts, reply } = await run(gateway, "main", { name: "Slow", timeoutSeconds: 0.4 });
  assert.deepEqual([status, attempts, reply], ["timed-out", 1, null]);
  assert.deepEqual(await summaries(gateway), ["Hook Slow (timed-out): no reply within 0.4 seconds"]);
});

forEachStore("timed-out: agents.defaults.timeoutSeconds where the request says nothing", async (t, store) => {
  const defaults = { timeoutSeconds: 0.4, heartbeat: { every: "0" } };
  const gateway = await startTestGateway(t, { agents: { defaults, list: [gated("main")] } }, { store });
  assert.equal((await run(gateway, "main")).status, "timed-out");
});

forEachStore("cancelled while running: its agent is stopped", async (t, store) => {
  const gateway = await startTestGateway(t, { agents: { list: [gated("main")] } }, { store });
  const id = await begin(gateway, "main", { name: "Stop" });
  await gateway.waitFor("it to run", async () => (await gateway.inspect.findRun(id))?.status === "running");
  const asked = await gateway.inspect.cancelRun(id, { error: "unused", summary: null, heartbeat: null });
  assert.equal(asked, "requested");
  const { status, reply } = await gateway.ended(id);
  assert.deepEqual([status, reply], ["cancelled", null]);
  assert.deepEqual(await summaries(gateway), ["Hook Stop (cancelled): it was cancelled"]);
});

forEachStore(
  "cancelled while queued: it never runs, and its summary is stored with its end",
  async (t, store) => {
    const gateway = await startTestGateway(
      t,
      { agents: { maxConcurrent: 1, list: [gated("main")] } },
      { store },
    );
    const first = await begin(gateway, "main");
    await gateway.waitFor(
      "it to run",
      async () => (await gateway.inspect.findRun(first))?.status === "running",
    );
    const id = await begin(gateway, "main", { name: "Never" });
    const stored = await gateway.inspect.findRun(id);
    assert.ok(stored);
    const error = "it was cancelled";
    const summary = summaryOf(stored, newId(), { status: "cancelled", text: error });
    assert.equal(await gateway.inspect.cancelRun(id, { error, summary, heartbeat: null }), "cancelled");
    gateway.put("go");
    await gateway.ended(first);
    const { status, attempts, startedAt } = await gateway.ended(id);
    assert.deepEqual([status, attempts, startedAt], ["cancelled", 0, null]);
    assert.deepEqual(await summaries(gateway), ["Hook Never (cancelled): it was cancelled", "Hook: done"]);
    assert.equal(await gateway.inspect.cancelRun(id, { error, summary: null, heartbeat: null }), "ended");
  },
);
