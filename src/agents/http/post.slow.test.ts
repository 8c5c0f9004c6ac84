// Connections to a service: those that fail, and those that are kept.
import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import {
  failed,
  httpAgent,
  neverStopped,
  replied,
  serveAgents,
} from "../../../test/fixtures/agent-service.ts";
import { contractInput } from "../agent.contract.ts";

const { run } = serveAgents();

test("a connection that breaks before the response may pass", async () => {
  const outcome = await run((response) => void response.socket?.resetAndDestroy());
  assert.deepEqual(outcome, failed("the service could not be reached: ECONNRESET", true));
});

test("a service that is not there may pass, and its address is not in the reason", async () => {
  const closed = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  closed.listen(0, "127.0.0.1", resolve);
  await promise;
  const { port: free } = closed.address() as AddressInfo;
  closed.close();
  const outcome = await httpAgent(`http://127.0.0.1:${free}/?token=hidden`).run(
    contractInput(),
    neverStopped(),
  );
  assert.deepEqual(outcome, failed("the service could not be reached: ECONNREFUSED", true));
});

/** `onRequest` gets the number of the request on its connection. */
async function serverWith(t: TestContext, onRequest: (count: number, socket: Socket) => void) {
  const seen = { connections: 0, requests: 0 };
  const service = createServer((socket) => {
    seen.connections++;
    let count = 0;
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      if (!chunk.includes("POST ")) return;
      seen.requests++;
      onRequest(++count, socket);
    });
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  service.listen(0, "127.0.0.1", resolve);
  await promise;
  t.after(() => service.close());
  return { seen, agent: httpAgent(`http://127.0.0.1:${(service.address() as AddressInfo).port}/`) };
}

const reply = '{"reply":"done"}';
const respondOn = (socket: Socket): void =>
  void socket.write(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${reply.length}\r\n\r\n${reply}`,
  );

/** A connection is free again in the next turn of the event loop. */
const isFree = () => new Promise((resolve) => setImmediate(resolve));

test("a connection is kept for the next run", async (t) => {
  const { seen, agent } = await serverWith(t, (_count, socket) => respondOn(socket));
  for (let each = 0; each < 3; each++) {
    assert.deepEqual(await agent.run(contractInput(), neverStopped()), replied("done"));
    await isFree();
  }
  assert.deepEqual(seen, { connections: 1, requests: 3 });
});

test("a kept connection that the service has closed is no failure: a new one is made, once", async (t) => {
  const { seen, agent } = await serverWith(t, (count, socket) =>
    count === 1 ? respondOn(socket) : void socket.resetAndDestroy(),
  );
  assert.deepEqual(await agent.run(contractInput(), neverStopped()), replied("done"));
  await isFree();
  assert.deepEqual(await agent.run(contractInput(), neverStopped()), replied("done"));
  assert.deepEqual(seen, { connections: 2, requests: 3 });
});

test("a new connection that is reset is a failure that may pass", async (t) => {
  const { seen, agent } = await serverWith(t, (_count, socket) => void socket.resetAndDestroy());
  const outcome = await agent.run(contractInput(), neverStopped());
  assert.ok(outcome.kind === "failed" && outcome.mayPass);
  assert.equal(seen.requests, 1);
});
