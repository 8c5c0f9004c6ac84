// The admin API: streams of what changes, and of one run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gatewayToken, startApiGateway, type ApiGateway } from "../fixtures/api-gateway.ts";
import { type EventReader, readEvents, type StreamedEvent } from "../support/events.ts";
import { forEachStore, gated } from "../support/gateway.ts";

const listen = async (
  t: { after(end: () => void): void },
  { gateway }: ApiGateway,
  path: string,
  more = {},
): Promise<EventReader> => {
  const headers = { authorization: `Bearer ${gatewayToken}`, ...more };
  const reader = await readEvents(`${gateway.url}/api/v1${path}`, { headers });
  t.after(reader.close);
  return reader;
};

async function until(reader: EventReader, found: (event: StreamedEvent) => boolean): Promise<StreamedEvent> {
  for (let event = await reader.next(); event !== null; event = await reader.next())
    if (found(event)) return event;
  throw new Error("the stream ended");
}

forEachStore(
  "hints tell of requests, runs, notes and what operators do, and carry no data",
  async (t, store) => {
    const one = await startApiGateway(t, {}, { store });
    const changes = await listen(t, one, "/changes");
    assert.equal(changes.status, 200);
    assert.equal(changes.headers.get("content-type"), "text/event-stream");
    const { json } = await one.gateway.post("agent", {
      message: "a secret word",
      wakeMode: "next-heartbeat",
    });
    const about = (kind: string, status: string | null) => (event: StreamedEvent) => {
      assert.equal(event.event, "change");
      assert.ok(!JSON.stringify(event.data).includes("secret"));
      return event.data["kind"] === kind && event.data["status"] === status;
    };
    const run = await until(changes, about("run", "succeeded"));
    assert.deepEqual(run.data, { kind: "run", id: json["runId"], status: "succeeded" });
    await one.api.expect(200, "/hooks/build/pause", { method: "POST" });
    assert.equal((await until(changes, about("hook", "paused"))).data["id"], "build");
  },
);

test("a flood of changes is told as ten hints and one word that there are many", async (t) => {
  const one = await startApiGateway(t);
  const changes = await listen(t, one, "/changes");
  for (let at = 0; at < 30; at++)
    await one.gateway.post("wake", { text: String(at), mode: "next-heartbeat" });
  let hints = 0;
  await until(changes, ({ data }) => {
    if (data["kind"] !== "many") hints++;
    return data["kind"] === "many";
  });
  assert.ok(hints >= 10 && hints < 60, String(hints));
});

forEachStore("a run is followed from its state to its end, with its reply", async (t, store) => {
  const one = await startApiGateway(t, { agents: { list: [gated("main")] } }, { store });
  const { json } = await one.gateway.post("agent", { message: "a", deliver: false });
  const path = `/runs/${String(json["runId"])}/events`;
  const stream = await listen(t, one, path);
  const first = await stream.next();
  assert.equal(first?.event, "run");
  one.gateway.put("go");
  const end = await until(stream, ({ event }) => event === "end");
  assert.deepEqual([end.data["status"], end.data["reply"]], ["succeeded", "done"]);
  const again = await one.api.ask(path, { headers: { "Last-Event-ID": end.id! } });
  assert.equal(again.status, 204);
  await one.api.expect(404, "/runs/nobody/events");
});

test("a stop of the gateway ends its streams", async (t) => {
  const one = await startApiGateway(t);
  const changes = await listen(t, one, "/changes");
  await one.gateway.restart();
  assert.deepEqual(
    (await changes.rest()).filter(({ event }) => event !== "change"),
    [],
  );
  const after = await listen(t, one, "/changes");
  assert.equal(after.status, 200);
});

test("so many may listen, and the next one is told to come again", async (t) => {
  const one = await startApiGateway(t);
  const readers: EventReader[] = [];
  for (let at = 0; at < 100; at++) readers.push(await listen(t, one, "/changes"));
  const { json } = await one.api.expect(503, "/changes");
  assert.equal(json["code"], "too-many-streams");
  readers[0]!.close();
  await one.gateway.waitFor("a place", async () => {
    const reader = await listen(t, one, "/changes");
    return reader.status === 200;
  });
});
