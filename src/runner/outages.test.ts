// The server of an agent is down for a while: the run waits for its next try, and holds up nobody but its own lane.
import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { connect, createServer as createDoor, type AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { httpAgent } from "../../test/fixtures/agent-service.ts";
import { startServer } from "../../test/fixtures/model-server.ts";
import { createFakeAgent } from "../../test/fakes/agent.ts";
import { setUpRunner } from "../../test/fakes/runner.ts";
import type { Agent } from "../agents/agent.ts";

/** In front of a server: while it is closed, every connection breaks off. */
async function startDoor(t: TestContext, target: string) {
  const door = { isOpen: false, url: "" };
  const server = createDoor((socket) => {
    if (!door.isOpen) return void socket.destroy();
    const { hostname, port } = new URL(target);
    const inner = connect(Number(port), hostname);
    for (const each of [socket, inner]) each.on("error", () => {});
    socket.pipe(inner).pipe(socket);
    t.after(() => void [socket, inner].map((each) => each.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  door.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return door;
}

async function startService(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Scene = Awaited<ReturnType<typeof setUpRunner>> & { agent: Agent; open: () => void };

async function isTriedUntilItIsBack(scene: Scene): Promise<void> {
  const { runnerWith, enqueue, find, clock, policy, agent, open, summaries } = scene;
  policy.maxAttempts = 6;
  const id = await enqueue({ model: "local/small" });
  const runner = runnerWith(agent, { random: () => 0.5 });
  for (const [index, waitMs] of [3000, 9000, 27_000, 81_000].entries()) {
    await runner.tick();
    const { status, attempts, nextTryAt, error } = await find(id);
    assert.deepEqual([status, attempts, nextTryAt], ["queued", index + 1, clock.now() + waitMs]);
    assert.match(error ?? "", /could not be reached|broke off|no connection|connection/i);
    assert.equal(runner.busy(), 0);
    await clock.advance(waitMs - 1);
    await runner.tick();
    assert.equal((await find(id)).attempts, index + 1, "not before its time");
    await clock.advance(1);
  }
  open();
  await runner.tick();
  const ended = await find(id);
  assert.deepEqual([ended.status, ended.attempts, ended.nextTryAt], ["succeeded", 5, null]);
  assert.equal((await summaries()).length, 1);
}

test("a service that is down for two minutes costs no run", async (t) => {
  const target = await startService(t, (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end('{"reply":"back"}');
  });
  const door = await startDoor(t, target);
  const scene = await setUpRunner(t);
  await isTriedUntilItIsBack({ ...scene, agent: httpAgent(door.url), open: () => (door.isOpen = true) });
});

test("a model server that is down for two minutes costs no run", async (t) => {
  const { server, models, agent } = await startServer();
  server.onMessage(/./, { content: "back" });
  const door = await startDoor(t, server.url);
  const local = { ...models.providers["local"]!, baseUrl: `${door.url}/v1` };
  const withDoor = { ...models, providers: { ...models.providers, local } };
  const scene = await setUpRunner(t);
  const open = () => (door.isOpen = true);
  await isTriedUntilItIsBack({ ...scene, agent: agent({ models: withDoor }), open });
});

test("a service that says when to come back is asked then, and not before", async (t) => {
  let isBusy = true;
  const url = await startService(t, (_request, response) => {
    if (isBusy) response.writeHead(503, { "retry-after": "100" }).end();
    else response.writeHead(200, { "content-type": "application/json" }).end('{"reply":"back"}');
  });
  const { runnerWith, enqueue, find, clock } = await setUpRunner(t);
  const id = await enqueue();
  const runner = runnerWith(httpAgent(url));
  await runner.tick();
  const { nextTryAt, error } = await find(id);
  assert.deepEqual([nextTryAt, error], [clock.now() + 100_000, "the service responded with 503"]);
  isBusy = false;
  await clock.advance(99_999);
  await runner.tick();
  assert.equal((await find(id)).status, "queued");
  await clock.advance(1);
  await runner.tick();
  assert.equal((await find(id)).status, "succeeded");
});

test("a run that waits for its next try holds no slot, and its lane waits in order behind it", async (t) => {
  const { runnerWith, enqueue, find, clock, policy } = await setUpRunner(t);
  policy.maxConcurrent = 1;
  const first = await enqueue({}, "talk");
  const second = await enqueue({}, "talk");
  const apart = await enqueue();
  let isDown = true;
  const order: string[] = [];
  const agent = createFakeAgent(({ runId }) => {
    if (runId === first && isDown) return { kind: "failed", reason: "down", mayPass: true };
    order.push(runId);
    return { kind: "replied", reply: "done" };
  });
  const runner = runnerWith(agent);
  for (let each = 0; each < 3; each++) await runner.tick();
  assert.deepEqual(order, [apart]);
  assert.deepEqual([(await find(first)).status, (await find(second)).status], ["queued", "queued"]);
  assert.deepEqual(
    [(await find(first)).nextTryAt, (await find(second)).nextTryAt],
    [clock.now() + 2000, null],
  );
  isDown = false;
  await clock.advance(2000);
  for (let each = 0; each < 2; each++) await runner.tick();
  assert.deepEqual(order, [apart, first, second]);
});

test("a heartbeat that failed is tried again within a minute, with the events that came meanwhile", async (t) => {
  const { runnerWith, wake, store, clock, policy, heartbeats } = await setUpRunner(t);
  policy.maxAttempts = 6;
  await wake("early");
  let isDown = true;
  const agent = createFakeAgent(() =>
    isDown ? { kind: "failed", reason: "down", mayPass: true } : { kind: "replied", reply: "HEARTBEAT_OK" },
  );
  const runner = runnerWith(agent, { random: () => 1 });
  for (let attempt = 1; attempt < 6; attempt++) {
    await runner.tick();
    const [beat] = await heartbeats();
    assert.equal(beat?.attempts, attempt);
    const waitMs = beat.nextTryAt! - clock.now();
    assert.ok(waitMs > 0 && waitMs <= 60_000, String(waitMs));
    await clock.advance(waitMs);
  }
  await wake("late");
  isDown = false;
  await runner.tick();
  assert.match(agent.inputs.at(-1)!.prompt, /early[^]*late/);
  assert.deepEqual(await store.waitingEvents("main", 10), []);
});
