// Gateways whose clock is set while they work: on SQLite the store's, on PostgreSQL that of one node of three.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { clockSteps } from "../builders/clock-step.ts";
import { createDatabase } from "../support/postgres.ts";
import { until } from "../support/process.ts";
import { ended, type Lab, labFor, overlaps, runStarted, sendAgent, settableClock } from "./lab.ts";

/** A short lease, so that one that is not renewed ends at once. The agent notes more steps in it than `stepsInLease`. */
const settings = { leaseSeconds: 1, maxConcurrent: 4, hooks: { maxQueued: 4 } };
const stepsInLeases = 40;
const stepMessage = "the store's clock";

type Node = Awaited<ReturnType<Lab["start"]>>;

/** A conversation with a run that its agent holds and one that waits behind it, over a step of the clock of `node`. */
async function overStep(lab: Lab, name: string, nodes: readonly Node[], step: () => Promise<void>) {
  const sessionKey = `lab:${name}`;
  const [first, ...others] = nodes;
  const urls = [first!.url, ...others.map(({ url }) => url)];
  const held = await sendAgent(first!.url, { message: `[hold go-${name}]`, sessionKey });
  await runStarted(lab, held);
  const behind = await sendAgent(urls.at(-1)!, { message: "next", sessionKey });
  await step();
  const notes = () => lab.journal().filter(({ runId }) => runId === held);
  const before = notes().length;
  await until("leases would have ended", () => notes().length > before + stepsInLeases);

  const quick = await Promise.all(urls.map((url) => sendAgent(url, { message: "quick" })));
  for (const url of urls) assert.equal((await fetch(`${url}/readyz`)).status, 200);
  lab.release(`go-${name}`);
  const store = await lab.openStore();
  for (const runId of [held, behind, ...quick]) {
    const run = await ended(store, runId);
    assert.deepEqual([run.status, run.attempts], ["succeeded", 1], `${name}: ${runId}`);
  }
  const later = await sendAgent(urls.at(-1)!, { message: "later", sessionKey });
  assert.equal((await ended(store, later)).attempts, 1);
  return [held, behind, ...quick, later];
}

function assertOnce(lab: Lab, runIds: readonly string[]): void {
  const starts = lab.journal().filter(({ kind }) => kind === "start");
  for (const runId of runIds) assert.equal(starts.filter((note) => note.runId === runId).length, 1, runId);
  assert.deepEqual(overlaps(lab.journal()), []);
}

suite("a clock that is set while gateways work", { concurrency: true }, () => {
  test("on SQLite no run is aborted or doubled, conversations go on, also after a restart", async (context) => {
    const lab = labFor(context, { settings });
    const env = settableClock([...clockSteps.map(([, stepMs]) => stepMs), 3_600_000]);
    const node = await lab.start({ env });
    const said = () => node.log().filter(({ message }) => message.startsWith(stepMessage)).length;
    const step = async (): Promise<void> => {
      const before = said();
      node.signal("SIGUSR2");
      await until("the gateway has seen the step", () => said() > before);
    };
    const runIds: string[] = [];
    for (const [name] of clockSteps)
      runIds.push(...(await overStep(lab, name.replaceAll(" ", "-"), [node], step)));
    assert.equal(said(), clockSteps.length, "each is said once");

    // The next process has the machine's time, an hour behind that of this one.
    await step();
    const sessionKey = "lab:restart";
    const held = await sendAgent(node.url, { message: "[hold never]", sessionKey });
    await runStarted(lab, held);
    const behind = await sendAgent(node.url, { message: "next", sessionKey });
    await node.kill();
    const again = await lab.start();
    const saidAgain = () => again.log().filter(({ message }) => message.startsWith(stepMessage)).length;
    await until("the gateway has said the step", () => saidAgain() > 0);
    assert.equal(saidAgain(), 1);
    lab.release("never");
    const store = await lab.openStore();
    assert.deepEqual([(await ended(store, held)).attempts, (await ended(store, behind)).attempts], [2, 1]);
    assertOnce(lab, runIds);
  });

  test("on one node of three no run is aborted or doubled, and conversations go on", async (context) => {
    const database = await createDatabase();
    const lab = labFor(context, { databaseUrl: database.url, settings });
    context.after(() => database.drop());
    const env = settableClock(clockSteps.map(([, stepMs]) => stepMs));
    const nodes = [await lab.start({ env }), await lab.start(), await lab.start()];
    const runIds: string[] = [];
    for (const [name] of clockSteps) {
      const step = async (): Promise<void> => nodes[0]!.signal("SIGUSR2");
      runIds.push(...(await overStep(lab, name.replaceAll(" ", "-"), nodes, step)));
    }
    assertOnce(lab, runIds);
  });
});
