// Contract: the result of a run as a stream of events.
import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test, type TestContext } from "node:test";
import { newId } from "../../src/core/id.ts";
import { type EventReader, readEvents } from "../support/events.ts";
import { forEachStore, gated, program, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { codeOf, mapping } from "../support/mapped.ts";

const operator = "gateway-token-that-is-long-enough";
const work = JSON.stringify({ message: "build it", wakeMode: "next-heartbeat", deliver: false });
const readable = { results: "reply" };
const held = { agents: { list: [gated("main")] } };

/** Streams that the test leaves open are closed at its end. */
function streamsOf(t: TestContext, gateway: TestGateway) {
  const readers: EventReader[] = [];
  t.after(() => readers.forEach((reader) => reader.close()));
  const open = async (path: string, init: RequestInit, token = gateway.token) => {
    const headers = new Headers({ authorization: `Bearer ${token}`, "content-type": "application/json" });
    for (const [name, value] of Object.entries(init.headers ?? {})) headers.set(name, String(value));
    const reader = await readEvents(`${gateway.url}${path}`, { ...init, headers });
    readers.push(reader);
    return reader;
  };
  return {
    get: (runId: unknown, headers: Record<string, string> = {}, token?: string) =>
      open(`/hooks/runs/${String(runId)}/events`, { headers }, token),
    post: (name: string, headers: Record<string, string> = {}, body = work) =>
      open(`/hooks/${name}`, {
        method: "POST",
        body,
        headers: { accept: "text/event-stream", ...headers },
      }),
  };
}

const startHeld = async (gateway: TestGateway): Promise<string> => {
  const { json } = await gateway.post("agent", work);
  await gateway.waitFor("the run to start", async () => gateway.read("turns").includes("starts"));
  return String(json["runId"]);
};

/** The pieces in which this text is told. */
async function textUpTo(reader: EventReader, text: string): Promise<string[]> {
  const pieces: string[] = [];
  while (pieces.join("") !== text) {
    const event = await reader.next();
    assert.ok(event?.event === "delta" || event?.event === "snapshot", JSON.stringify(event));
    pieces.push(String(event.data["text"]));
  }
  return pieces;
}

const typesOf = (events: readonly { event: string }[]): string[] => events.map(({ event }) => event);

/** A service that answers runs as the test says. */
async function startService(t: TestContext) {
  const asked = Promise.withResolvers<ServerResponse>();
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    asked.resolve(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    agents: { list: [{ id: "main", kind: "http", url: `http://127.0.0.1:${port}/` }] },
    tell: async (event: object) => void (await asked.promise).write(`data: ${JSON.stringify(event)}\n\n`),
    end: async () => void (await asked.promise).end(),
  };
}

describe("results: streaming", { concurrency: 4 }, () => {
  test("what the agent tells is heard as it is told; who comes late gets it as one snapshot", async (t) => {
    const { agents, tell, end } = await startService(t);
    const gateway = await startTestGateway(t, { hooks: readable, agents });
    const { post, get } = streamsOf(t, gateway);
    const reader = await post("agent");
    const runId = String((await reader.next())?.data["runId"]);
    await tell({ delta: "Let me look. " });
    assert.deepEqual(await textUpTo(reader, "Let me look. "), ["Let me look. "]);
    await tell({ tool: { name: "search", id: "7", state: "started" } });
    await tell({ tool: { name: "search", id: "7", state: "ended", ok: true, output: "secret output" } });
    const tools = [await reader.next(), await reader.next()];
    assert.deepEqual(
      tools.map((each) => [each?.event, each?.data["name"], each?.data["state"], each?.data["ok"]]),
      [
        ["tool", "search", "started", null],
        ["tool", "search", "ended", true],
      ],
    );
    const late = await get(runId, { "last-event-id": "3" });
    assert.equal((await late.next())?.event, "run");
    const snapshot = await late.next();
    assert.deepEqual([snapshot?.event, snapshot?.data], ["snapshot", { text: "Let me look. " }]);
    await tell({ delta: "It is broken." });
    for (const each of [reader, late])
      assert.deepEqual(await textUpTo(each, "It is broken."), ["It is broken."]);
    await tell({ reply: "The build is broken." });
    await end();
    for (const each of [reader, late]) {
      const events = await each.rest();
      assert.equal(events.at(-1)?.data["reply"], "The build is broken.");
      assert.doesNotMatch(JSON.stringify(events), /secret output/);
    }
  });

  forEachStore("a POST becomes the stream of its run", async (t, store) => {
    const gateway = await startTestGateway(t, { hooks: readable, ...held }, { store });
    const { post, get } = streamsOf(t, gateway);
    const reader = await post("agent");
    assert.equal(reader.status, 200);
    assert.equal(reader.headers.get("content-type"), "text/event-stream");
    const first = await reader.next();
    const runId = first?.data["runId"];
    assert.equal(first?.event, "run");
    assert.equal(reader.headers.get("location"), `/hooks/runs/${String(runId)}`);
    gateway.put("go");
    const rest = (await reader.rest()).filter(({ event }) => event === "run" || event === "end");
    const last = rest.at(-1);
    assert.deepEqual([last?.event, last?.data["reply"], last?.data["status"]], ["end", "done", "succeeded"]);
    const polled = await gateway.send({
      method: "GET",
      target: `/hooks/runs/${String(runId)}`,
      headers: [`Authorization: Bearer ${gateway.token}`],
    });
    assert.deepEqual(last?.data, polled.json, "the end is what a poll gets");
    const again = await get(runId, { "last-event-id": last?.id ?? "" });
    assert.equal(again.status, 204, "who has heard the end need not come again");
    const other = await (await get(runId, { "last-event-id": first?.id ?? "" })).rest();
    assert.deepEqual(typesOf(other), ["run", "end"]);
  });

  test("a stream can be opened while the run works, several times, and tells its states", async (t) => {
    const gateway = await startTestGateway(t, { hooks: readable, ...held });
    const { get } = streamsOf(t, gateway);
    const runId = await startHeld(gateway);
    const readers = [await get(runId), await get(runId)];
    for (const reader of readers)
      assert.deepEqual(await reader.next(), {
        event: "run",
        id: "3",
        data: { runId, status: "running", attempts: 1 },
      });
    gateway.put("go");
    for (const reader of readers) assert.equal((await reader.rest()).at(-1)?.event, "end");
  });

  test("a queued run is seen to wait, to run and to end", async (t) => {
    const agents = { maxConcurrent: 1, list: [gated("main")] };
    const gateway = await startTestGateway(t, { hooks: readable, agents });
    const { post } = streamsOf(t, gateway);
    await startHeld(gateway);
    const reader = await post("agent");
    assert.deepEqual((await reader.next())?.data["status"], "queued");
    gateway.put("go");
    const states = (await reader.rest()).filter(({ event }) => event === "run" || event === "end");
    assert.deepEqual(
      states.map(({ event, id, data }) => [event, id, data["status"]]),
      [
        ["run", "3", "running"],
        ["end", "4", "succeeded"],
      ],
    );
  });

  test("a command that cancels the run from another process is heard of", async (t) => {
    const agents = { maxConcurrent: 1, list: [gated("main")] };
    const gateway = await startTestGateway(t, { hooks: readable, agents });
    const { post } = streamsOf(t, gateway);
    await startHeld(gateway);
    const reader = await post("agent");
    const runId = String((await reader.next())?.data["runId"]);
    const done = await gateway.inspect.cancelRun(runId, {
      error: "cancelled",
      summary: null,
      heartbeat: null,
    });
    assert.equal(done, "cancelled");
    const [last] = await reader.rest();
    assert.deepEqual([last?.event, last?.data["status"], last?.data["attempts"]], ["end", "cancelled", 0]);
    gateway.put("go");
  });

  test("who reads only the status hears no text", async (t) => {
    const agents = { list: [program("main", "process.stdout.write('the secret reply')")] };
    const gateway = await startTestGateway(t, { hooks: { results: "status" }, agents });
    const events = await (await streamsOf(t, gateway).post("agent")).rest();
    assert.equal(events.at(-1)?.event, "end");
    assert.doesNotMatch(JSON.stringify(events), /secret|delta|snapshot/);
  });

  test("a refused request is refused as ever, and without results it is accepted as ever", async (t) => {
    const gateway = await startTestGateway(t, {
      hooks: { ...readable, mappings: [mapping("shut", { results: "none" })] },
    });
    const ask = (name: string, body: string) => gateway.post(name, body, ["Accept: text/event-stream"]);
    assert.deepEqual(codeOf(await ask("agent", "{}")), [400, "invalid-payload"]);
    const shut = await ask("shut", work);
    assert.deepEqual([shut.status, shut.headers["content-type"]], [202, "application/json; charset=utf-8"]);
    assert.equal((await ask("wake", '{"text":"hello"}')).status, 200);
  });

  test("several runs are no stream: each has one of its own", async (t) => {
    const mappings = [mapping("many", { forEach: "items" })];
    const gateway = await startTestGateway(t, { hooks: { ...readable, mappings } });
    const response = await gateway.post("many", '{"items":[1,2]}', ["Accept: text/event-stream"]);
    const { runIds } = response.json as { runIds: string[] };
    assert.equal(response.status, 202);
    for (const runId of runIds) {
      await gateway.ended(runId);
      assert.deepEqual(typesOf(await (await streamsOf(t, gateway).get(runId)).rest()), ["run", "end"]);
    }
  });

  test("a repeated Idempotency-Key streams the first run", async (t) => {
    const gateway = await startTestGateway(t, { hooks: readable, ...held });
    const { post } = streamsOf(t, gateway);
    const first = await post("agent", { "idempotency-key": "one" });
    const again = await post("agent", { "idempotency-key": "one" });
    assert.equal(again.headers.get("idempotent-replayed"), "true");
    assert.equal(again.headers.get("location"), first.headers.get("location"));
    gateway.put("go");
    for (const reader of [first, again]) assert.equal((await reader.rest()).at(-1)?.data["reply"], "done");
    assert.equal((await gateway.runs()).length, 1);
  });

  test("only who may read the result may stream it", async (t) => {
    const tokens = { ci: { token: "ci-token-that-is-long-enough-1", hooks: ["agent"] } };
    const gateway = await startTestGateway(t, {
      hooks: { ...readable, tokens },
      gateway: { auth: { token: operator } },
      ...held,
    });
    const { get } = streamsOf(t, gateway);
    const runId = await startHeld(gateway);
    assert.equal((await get(runId, {}, tokens.ci.token)).status, 404);
    assert.equal((await get(newId())).status, 404);
    assert.equal((await get(runId, {}, "wrong")).status, 401);
    assert.equal((await get(runId, {}, operator)).status, 200);
    gateway.put("go");
  });

  test("HEAD gets the headers of the stream, and opens none", async (t) => {
    const gateway = await startTestGateway(t, { hooks: { ...readable, maxWaiting: 0 }, ...held });
    const runId = await startHeld(gateway);
    const response = await fetch(`${gateway.url}/hooks/runs/${runId}/events`, {
      method: "HEAD",
      headers: { authorization: `Bearer ${gateway.token}` },
    });
    assert.deepEqual([response.status, response.headers.get("content-type")], [200, "text/event-stream"]);
    gateway.put("go");
  });

  test("above `hooks.maxWaiting` a POST is accepted as ever, and a GET is told to come again", async (t) => {
    const gateway = await startTestGateway(t, { hooks: { ...readable, maxWaiting: 1 }, ...held });
    const { post, get } = streamsOf(t, gateway);
    const first = await post("agent");
    const runId = (await first.next())?.data["runId"];
    const second = await gateway.post("agent", work, ["Accept: text/event-stream"]);
    assert.equal(second.status, 202);
    assert.equal(second.headers["location"], `/hooks/runs/${String(second.json["runId"])}`);
    assert.equal(second.headers["retry-after"], "2");
    const refused = await get(runId);
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "5"]);
    const polled = await gateway.send({
      method: "GET",
      target: `/hooks/runs/${String(runId)}`,
      headers: [`Authorization: Bearer ${gateway.token}`, "Prefer: wait=1"],
    });
    assert.equal(polled.headers["preference-applied"], "wait=1", "who waits has places of its own");
    first.close();
    await gateway.waitFor("the place", async () => (await get(runId)).status === 200);
    gateway.put("go");
  });

  test("at a stop the stream ends without an end of the run; after the restart it goes on", async (t) => {
    const gateway = await startTestGateway(t, {
      hooks: readable,
      gateway: { drainSeconds: 60, auth: { token: operator } },
      ...held,
    });
    const { get } = streamsOf(t, gateway);
    const runId = await startHeld(gateway);
    const reader = await get(runId);
    assert.equal((await reader.next())?.event, "run");
    const restarted = gateway.restart();
    assert.deepEqual(
      (await reader.rest()).filter(({ event }) => event === "end"),
      [],
    );
    gateway.put("go");
    await restarted;
    const after = await (await get(runId, { "last-event-id": "3" })).rest();
    assert.deepEqual(
      after.map(({ event, id }) => [event, id]),
      [
        ["run", "4"],
        ["end", "4"],
      ],
    );
  });

  test("a reply of a million characters comes whole", async (t) => {
    const code = "process.stdout.write('ü€x'.repeat(333_334))";
    const agents = { list: [{ ...program("main", code), outputLimitBytes: 4_000_000 }] };
    const gateway = await startTestGateway(t, { hooks: readable, agents });
    const events = await (await streamsOf(t, gateway).post("agent")).rest();
    assert.ok(events.at(-1)?.data["reply"] === "ü€x".repeat(333_334));
  });
});
