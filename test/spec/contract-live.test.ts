// Contract, section 9: who streams a run hears what its agent writes and does while it works; attempts and calls of
// tools are kept. The agent is an http service of the test, which says one thing after another when it is told to.
import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { eventually } from "../fakes/clock.ts";
import { readEvents, type EventReader } from "../support/events.ts";
import { forEachStore, startTestGateway } from "../support/gateway.ts";

async function startService(t: TestContext) {
  const turns: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    turns.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const list = [{ id: "main", kind: "http", url }];
  const turn = async (number: number) => {
    await eventually(() => turns.length >= number, `turn ${number}`);
    const say = (data: object) => void turns[number - 1]!.write(`data: ${JSON.stringify(data)}\n\n`);
    return { say, end: () => void turns[number - 1]!.end("data: [DONE]\n\n") };
  };
  return { list, turn };
}

const work = { message: "build it", wakeMode: "next-heartbeat", deliver: false };
const tool = (state: string, more: object = {}) => ({ tool: { name: "search", id: "1", state, ...more } });

/** The next event that is none of the run's states. */
async function nextTold(stream: EventReader): Promise<unknown> {
  for (let event = await stream.next(); event !== null; event = await stream.next())
    if (event.event !== "run")
      return { event: event.event, ...event.data, ...("ms" in event.data && { ms: 0 }) };
  return null;
}

forEachStore("a stream brings text and tools as they come, and then the stored end", async (t, store) => {
  const { list, turn } = await startService(t);
  const agents = { list, keepToolCalls: true };
  const gateway = await startTestGateway(t, { hooks: { results: "reply" }, agents }, { store });
  const { json } = await gateway.post("agent", work);
  const runId = String(json["runId"]);
  const address = `${gateway.url}/hooks/runs/${runId}/events`;
  const headers = { authorization: `Bearer ${gateway.token}` };
  const { say, end } = await turn(1);
  say({ delta: "The build " });
  const stream = await readEvents(address, { headers });
  const first = (await nextTold(stream)) as { event: string; text: string };
  assert.equal(first.text, "The build ");
  say(tool("started", { input: { q: "log" } }));
  assert.deepEqual(await nextTold(stream), {
    event: "tool",
    name: "search",
    state: "started",
    ms: 0,
    ok: null,
  });
  say(tool("ended", { ok: false, output: "nothing" }));
  assert.deepEqual(await nextTold(stream), {
    event: "tool",
    name: "search",
    state: "ended",
    ms: 0,
    ok: false,
  });
  say({ delta: "broke." });
  assert.deepEqual(await nextTold(stream), { event: "delta", text: "broke." });
  const late = await readEvents(address, { headers });
  assert.deepEqual(await nextTold(late), { event: "snapshot", text: "The build broke." });
  end();
  for (const each of [stream, late]) {
    const last = (await each.rest()).at(-1);
    assert.deepEqual([last?.event, last?.data["reply"]], ["end", "The build broke."]);
  }
  const [attempt, ...others] = await gateway.inspect.listAttempts(runId);
  assert.deepEqual([attempt?.number, attempt?.outcome, others], [1, "succeeded", []]);
  assert.deepEqual(
    attempt?.toolCalls.map(({ name, ok, input, output }) => ({ name, ok, input, output })),
    [{ name: "search", ok: false, input: '{"q":"log"}', output: "nothing" }],
  );
});

test("a second attempt begins anew, and both are kept with the node", async (t) => {
  const { list, turn } = await startService(t);
  const gateway = await startTestGateway(t, { hooks: { results: "reply" }, agents: { list } });
  const { json } = await gateway.post("agent", work);
  const runId = String(json["runId"]);
  const headers = { authorization: `Bearer ${gateway.token}` };
  const stream = await readEvents(`${gateway.url}/hooks/runs/${runId}/events`, { headers });
  const first = await turn(1);
  first.say({ delta: "A first try" });
  assert.equal(((await nextTold(stream)) as { text: string }).text, "A first try");
  await gateway.restart();
  const second = await turn(2);
  second.say({ delta: "Again." });
  second.end();
  assert.equal((await gateway.ended(runId)).reply, "Again.");
  const kept = await gateway.inspect.listAttempts(runId);
  assert.deepEqual(
    kept.map(({ number, outcome }) => [number, outcome]),
    [[1, "succeeded"]],
    "the clean stop gave the number of the first back",
  );
  assert.match(kept[0]!.node, /.[:#]\d+$/);
});
