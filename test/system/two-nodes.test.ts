// Two gateways on one PostgreSQL.
import assert from "node:assert/strict";
import { suite, test, type TestContext } from "node:test";
import pg from "pg";
import { createDatabase } from "../support/postgres.ts";
import { until } from "../support/process.ts";
import { runStarted, clockWrongBy, ended, labFor, overlaps, sendAgent, sendWake } from "./lab.ts";

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

suite("two nodes", { concurrency: true }, () => {
  test("requests to both: each run once, conversations in order, one heartbeat at a time", async (context) => {
    const database = await createDatabase();
    const lab = labFor(context, { databaseUrl: database.url, settings: { heartbeatEvery: "1s" } });
    context.after(() => database.drop());
    const nodes = await Promise.all([lab.start(), lab.start()]);
    const urlFor = (at: number): string => nodes[at % 2]!.url;

    const isolated = Promise.all(
      numbers(30).map((at) => sendAgent(urlFor(at), { message: "[steps 1]", wakeMode: "now" })),
    );
    const wakes = Promise.all(numbers(20).map((at) => sendWake(urlFor(at), `wake ${at}`)));
    const conversations = await Promise.all(
      ["lab:a", "lab:b"].map(async (sessionKey) => {
        const ids: string[] = [];
        for (const at of numbers(12))
          ids.push(await sendAgent(urlFor(at), { message: "[steps 2]", sessionKey }));
        return { sessionKey, ids };
      }),
    );
    const runIds = [...(await isolated), ...conversations.flatMap(({ ids }) => ids)];
    for (const { status } of await wakes) assert.equal(status, 200);

    const store = await lab.openStore();
    for (const runId of runIds) {
      const run = await ended(store, runId);
      assert.deepEqual([run.status, run.attempts], ["succeeded", 1]);
    }
    await until("every event is shown", async () => (await store.waitingEvents("main", 1)).length === 0);
    for (const node of nodes) assert.equal((await node.stop()).code, 0);

    const starts = lab.journal().filter(({ kind }) => kind === "start");
    for (const runId of runIds) assert.equal(starts.filter((note) => note.runId === runId).length, 1, runId);
    for (const { sessionKey, ids } of conversations) {
      const order = starts.filter((note) => note.sessionKey === sessionKey).map((note) => note.runId);
      assert.deepEqual(order, ids);
    }
    assert.deepEqual(overlaps(lab.journal()), []);
    const byNode = nodes.map((node) => node.log().filter(({ message }) => message === "run").length);
    assert.ok(Math.min(...byNode) > 0, `one node did nothing: ${byNode.join(" ")}`);
    assert.ok(starts.some(({ sessionKey }) => sessionKey === "main"));
  });

  test("a run that a node has no slot for is announced, and another node takes it", async (context) => {
    const database = await createDatabase();
    const lab = labFor(context, { databaseUrl: database.url, settings: { maxConcurrent: 1 } });
    context.after(() => database.drop());
    const full = await lab.start();
    const held = await sendAgent(full.url, { message: "[hold go]" });
    await runStarted(lab, held);
    const announced = await listenTo(context, database.url);
    const other = await lab.start();
    const runId = await sendAgent(full.url, { message: "for another" });

    const store = await lab.openStore();
    assert.equal((await ended(store, runId)).status, "succeeded");
    await until("the other to say so", () =>
      other.log().some((entry) => entry.message === "run" && entry.runId === runId),
    );
    await until("the announcement", () => announced.some((payload) => payload.endsWith(" runs")));
    lab.release("go");
    assert.equal((await ended(store, held)).status, "succeeded");
  });

  test("wrong tokens are counted over all nodes", async (context) => {
    const database = await createDatabase();
    const lab = labFor(context, { databaseUrl: database.url });
    context.after(() => database.drop());
    const nodes = await Promise.all([lab.start(), lab.start()]);
    const knock = async (at: number): Promise<number> => {
      const headers = { authorization: "Bearer wrong" };
      return (await fetch(`${nodes[at % 2]!.url}/hooks/wake`, { method: "POST", headers })).status;
    };
    for (const at of numbers(20)) assert.equal(await knock(at), 401, `failure ${at + 1}`);
    assert.deepEqual([await knock(0), await knock(1)], [429, 429]);
    assert.equal((await sendWake(nodes[0].url, "the right token is served")).status, 200);
  });

  test("clocks that are ten minutes apart do no harm", async (context) => {
    const database = await createDatabase();
    const lab = labFor(context, {
      databaseUrl: database.url,
      settings: { leaseSeconds: 1, maxConcurrent: 2, heartbeatEvery: "1s" },
    });
    context.after(() => database.drop());
    const [slow, fast] = await Promise.all([
      lab.start({ env: clockWrongBy(-600_000) }),
      lab.start({ env: clockWrongBy(600_000) }),
    ]);
    const held = await Promise.all(
      [slow, fast, slow].map(({ url }) => sendAgent(url, { message: "[hold go]" })),
    );
    for (const runId of held) await runStarted(lab, runId);
    const quick = await Promise.all([slow, fast].map(({ url }) => sendAgent(url, { message: "quick" })));
    const store = await lab.openStore();
    for (const runId of quick) assert.equal((await ended(store, runId)).attempts, 1);
    // Longer than a lease: a node that used its own clock would have claimed the other's runs by now.
    const since = await store.databaseTime();
    await until("two leases have passed", async () => (await store.databaseTime()) > since + 2000);
    lab.release("go");
    for (const runId of held) {
      const run = await ended(store, runId);
      assert.deepEqual([run.status, run.attempts], ["succeeded", 1]);
      assert.ok(Math.abs((run.endedAt ?? 0) - since) < 120_000, "times are the database's");
    }

    const taken = await sendAgent(fast.url, { message: "[hold again]" });
    await runStarted(lab, taken);
    await fast.kill();
    lab.release("again");
    assert.equal((await ended(store, taken)).status, "succeeded");
    assert.deepEqual(overlaps(lab.journal()), []);
  });
});

/** All notifications between nodes from now on. */
async function listenTo(context: TestContext, url: string): Promise<string[]> {
  const heard: string[] = [];
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  context.after(() => client.end());
  client.on("error", () => {});
  client.on("notification", ({ payload }) => void heard.push(payload ?? ""));
  await client.query("listen rouse_work");
  return heard;
}
