// Two gateways on one PostgreSQL.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createDatabase } from "../support/postgres.ts";
import { until } from "../support/process.ts";
import { begun, ended, labFor, overlaps, sendAgent, sendWake } from "./lab.ts";

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

    const begins = lab.journal().filter(({ kind }) => kind === "begin");
    for (const runId of runIds) assert.equal(begins.filter((note) => note.runId === runId).length, 1, runId);
    for (const { sessionKey, ids } of conversations) {
      const order = begins.filter((note) => note.sessionKey === sessionKey).map((note) => note.runId);
      assert.deepEqual(order, ids);
    }
    assert.deepEqual(overlaps(lab.journal()), []);
    const byNode = nodes.map((node) => node.log().filter(({ message }) => message === "run").length);
    assert.ok(Math.min(...byNode) > 0, `one node did nothing: ${byNode.join(" ")}`);
    assert.ok(begins.some(({ sessionKey }) => sessionKey === "main"));
  });

  test("a killed node's run is taken over by the other after its lease, and its conversation goes on", async (context) => {
    const database = await createDatabase();
    const lab = labFor(context, { databaseUrl: database.url, settings: { leaseSeconds: 1 } });
    context.after(() => database.drop());
    const doomed = await lab.start();
    const sessionKey = "lab:taken";
    const runId = await sendAgent(doomed.url, { message: "[hold go]", sessionKey });
    const next = await sendAgent(doomed.url, { message: "after it", sessionKey });
    await begun(lab, runId);
    await lab.start();
    await doomed.kill();
    lab.letGo("go");

    const store = await lab.openStore();
    const run = await ended(store, runId);
    assert.deepEqual([run.status, run.attempts], ["succeeded", 2]);
    assert.equal((await ended(store, next)).status, "succeeded");
    const order = lab.journal().filter(({ kind }) => kind === "begin");
    assert.deepEqual(
      order.map((note) => note.runId),
      [runId, runId, next],
    );
  });
});
