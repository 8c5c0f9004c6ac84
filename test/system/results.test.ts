// Callers that wait and stream while gateways are killed, while the database is away, and on another node.
import assert from "node:assert/strict";
import { suite, test, type TestContext } from "node:test";
import pg from "pg";
import { createDatabase, startPostgres } from "../support/postgres.ts";
import { type EventReader, readEvents } from "../support/events.ts";
import { until } from "../support/process.ts";
import { agentBody, ended, labFor, runStarted, token } from "./lab.ts";

const settings = { hooks: { results: "reply" }, leaseSeconds: 1 };

const headersOf = (more: Record<string, string> = {}): Headers =>
  new Headers({ authorization: `Bearer ${token}`, "content-type": "application/json", ...more });

const send = (url: string, message: string, more: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}/hooks/agent`, { method: "POST", headers: headersOf(more), body: agentBody({ message }) });

async function stream(
  context: TestContext,
  url: string,
  runId: unknown,
  more: Record<string, string> = {},
): Promise<EventReader> {
  const reader = await readEvents(`${url}/hooks/runs/${String(runId)}/events`, { headers: headersOf(more) });
  context.after(() => reader.close());
  return reader;
}

/** What nodes tell each other of changes, from now on. */
async function listenTo(context: TestContext, url: string): Promise<string[]> {
  const told: string[] = [];
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  context.after(() => client.end());
  client.on("error", () => {});
  client.on("notification", ({ payload }) => void told.push(payload ?? ""));
  await client.query("listen rouse_changes");
  return told;
}

const statesIn = async (reader: EventReader): Promise<unknown[]> =>
  (await reader.rest())
    .filter(({ id }) => id !== undefined)
    .map(({ event, data }) => [event, data["status"]]);

suite("results over faults", { concurrency: true }, () => {
  test("a gateway is killed while its caller waits: the repeated request waits for the same run", async (context) => {
    const lab = labFor(context, { settings });
    const first = await lab.start();
    const key = { "idempotency-key": "one", prefer: "wait=60" };
    const cut = assert.rejects(send(first.url, "[hold go]", key));
    const { runId } = await until("the run to start", () =>
      lab.journal().find(({ kind }) => kind === "start"),
    );
    await first.kill();
    await cut;
    const second = await lab.start();
    const waiting = send(second.url, "[hold go]", key);
    const streaming = await stream(context, second.url, runId, { "last-event-id": "3" });
    assert.equal((await streaming.next())?.event, "run");
    lab.release("go");
    const response = await waiting;
    const body = (await response.json()) as Record<string, unknown>;
    assert.deepEqual([response.status, body["runId"], body["status"]], [200, runId, "succeeded"]);
    assert.equal(response.headers.get("idempotent-replayed"), "true");
    assert.deepEqual((await statesIn(streaming)).at(-1), ["end", "succeeded"]);
    const store = await lab.openStore();
    assert.equal((await store.listRuns({ kind: "hook", limit: null })).length, 1);
  });

  test("two nodes: a result is waited for, polled and streamed on the other one, also after the first is gone", async (context) => {
    const database = await createDatabase();
    const lab = labFor(context, { databaseUrl: database.url, settings });
    context.after(() => database.drop());
    const told = await listenTo(context, database.url);
    const one = await lab.start();
    const started = await send(one.url, "[hold go]");
    const { runId } = (await started.json()) as { runId: string };
    await runStarted(lab, runId);
    const here = await stream(context, one.url, runId);
    const first = await here.next();
    const other = await lab.start();
    const there = await stream(context, other.url, runId, { "last-event-id": first?.id ?? "" });
    assert.deepEqual(await there.next(), first, "every node counts the same");
    const waiting = fetch(`${other.url}/hooks/runs/${runId}`, { headers: headersOf({ prefer: "wait=60" }) });
    await one.kill();
    await here.rest().catch(() => {});
    lab.release("go");
    const result = (await (await waiting).json()) as Record<string, unknown>;
    assert.equal(result["status"], "succeeded");
    assert.deepEqual((await statesIn(there)).at(-1), ["end", "succeeded"]);
    for (const status of ["running", "succeeded"])
      await until(`${status} to be told to other nodes`, () =>
        told.some((text) => text.includes(JSON.stringify(["run", runId, status]))),
      );
    const again = await stream(context, other.url, runId, {
      "last-event-id": String(4 * Number(result["attempts"])),
    });
    assert.equal(again.status, 204);
  });

  test("PostgreSQL stops and starts under open streams and waits: they go on", async (context) => {
    const server = await startPostgres();
    context.after(() => server.stop());
    const lab = labFor(context, { databaseUrl: server.url, settings: { ...settings, maxAttempts: 10 } });
    const gateway = await lab.start();
    const { runId } = (await (await send(gateway.url, "[hold go]")).json()) as { runId: string };
    await runStarted(lab, runId);
    const reader = await stream(context, gateway.url, runId);
    assert.equal((await reader.next())?.data["status"], "running");
    const poll = (prefer: string) =>
      fetch(`${gateway.url}/hooks/runs/${runId}`, { headers: headersOf({ prefer }) });
    const short = poll("wait=10");
    const long = poll("wait=60");
    assert.equal((await poll("wait=1")).status, 200, "the two before it wait by now");
    await server.pause();
    const answered = await short;
    const known = (await answered.json()) as Record<string, unknown>;
    assert.deepEqual([answered.status, known["status"]], [200, "running"], "what was known is told");
    assert.equal((await poll("wait=1")).status, 503);
    await server.resume();
    lab.release("go");
    const store = await lab.openStore();
    assert.equal((await ended(store, runId)).status, "succeeded");
    assert.deepEqual((await statesIn(reader)).at(-1), ["end", "succeeded"]);
    assert.equal(((await (await long).json()) as Record<string, unknown>)["status"], "succeeded");
    assert.equal((await gateway.stop()).code, 0);
  });
});
