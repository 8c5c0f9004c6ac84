import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectTo } from "node:net";
import test, { type TestContext } from "node:test";
import { silentLog } from "../core/log.ts";
import { isRefusal } from "../core/errors.ts";
import { readBody } from "./body.ts";
import type { Exchange } from "./exchange.ts";
import { rawClient } from "../../test/fixtures/raw-client.ts";
import { sendEmpty, sendJson, sendRefusal } from "./respond.ts";
import { createServer } from "./server.ts";

async function start(context: TestContext, handle: (exchange: Exchange) => unknown) {
  const server = createServer({
    host: "127.0.0.1",
    port: 0,
    maxConnections: 100,
    requestTimeoutMs: 10_000,
    handle: (exchange) => void handle(exchange),
    log: silentLog,
  });
  const { port, host } = await server.listen();
  assert.equal(host, "127.0.0.1");
  context.after(() => server.stop());
  const connect = () => {
    const client = rawClient(port);
    context.after(() => client.socket.destroy());
    return client;
  };
  return { server, port, connect };
}

const get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

test("stop lets requests in progress finish and closes other connections", async (context) => {
  const reached = Promise.withResolvers<Exchange>();
  const { server, port, connect } = await start(context, (exchange) => {
    if (exchange.request.url === "/slow") reached.resolve(exchange);
    else sendJson(exchange, 200, { ok: true });
  });
  const idle = connect();
  idle.send(get);
  assert.equal((await idle.next()).headers["connection"], "keep-alive");
  const silent = connect();
  await new Promise((resolve) => silent.socket.once("connect", resolve));
  const slow = connect();
  slow.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  const exchange = await reached.promise;

  const stopped = server.stop();
  await idle.closed;
  await silent.closed;
  const late = rawClient(port);
  await late.closed;
  await assert.rejects(late.next());
  sendJson(exchange, 200, { ok: true });
  const response = await slow.next();
  assert.deepEqual([response.status, response.headers["connection"]], [200, "close"]);
  await stopped;
  assert.equal(server.connections(), 0);
});

test("a stop refuses a body that stalled, and cuts off callers that send no more or read no response", async (context) => {
  const reached = Promise.withResolvers<void>();
  const owed = Promise.withResolvers<Exchange>();
  const { server, connect } = await start(context, async (exchange) => {
    exchange.authenticated = true;
    if (exchange.target === "/owed") return owed.resolve(exchange);
    if (exchange.target === "/huge") return sendJson(exchange, 200, "x".repeat(20_000_000));
    const body = readBody(exchange, { maxBytes: 100, timeoutMs: 1e6 });
    reached.resolve();
    const refusal = await body;
    assert.ok(refusal !== null && isRefusal(refusal));
    sendRefusal(exchange, refusal);
  });
  const deaf = connect();
  deaf.send("GET /huge HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3));
  await once(deaf.socket, "data");
  deaf.socket.pause();
  const last = connect();
  last.send("GET /owed HTTP/1.1\r\nHost: x\r\n\r\n");
  const stalled = connect();
  stalled.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nabc");
  await reached.promise;
  const exchange = await owed.promise;

  const stopped = server.stop(0);
  const response = await stalled.next();
  assert.deepEqual([response.status, response.json["code"]], [503, "stopping"]);
  await stalled.closed;
  // What has arrived whole is owed a response, and is waited for.
  sendJson(exchange, 200, { ok: true });
  assert.equal((await last.next()).status, 200);
  await stopped;
  assert.equal(server.connections(), 0);
});

test("when a handler throws, the response is 500", async (context) => {
  const { connect } = await start(context, () => {
    throw new Error("secret");
  });
  const client = connect();
  client.send(get);
  const response = await client.next();
  assert.deepEqual([response.status, response.json["code"]], [500, "internal-error"]);
  assert.ok(!response.text.includes("secret"));
});

test("a caller that goes on sending after a broken request can read the response before a reset", async (context) => {
  const reached = Promise.withResolvers<Exchange>();
  const { port } = await start(context, reached.resolve);
  const socket = connectTo({ port, host: "127.0.0.1", allowHalfOpen: true });
  context.after(() => socket.destroy());
  let received = "";
  socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1")));
  socket.write(`${get}GET / HTTP/1.1\r\nbroken\r\n\r\n`);
  const exchange = await reached.promise;
  // After this time Node has parsed the broken request.
  setImmediate(() => sendJson(exchange, 200, { ok: true }));
  await once(socket, "end");
  assert.match(received, /^HTTP\/1\.1 200 OK\r\n[^]*Connection: close\r\n[^]*{"ok":true}$/);
  // On a closed connection the first write would cause a reset, and the second would fail.
  await new Promise<void>((resolve) => socket.write("more", () => resolve()));
  socket.end("and more");
  await once(socket, "close");
});

test("204 has no body and no type; only the first response is sent", async (context) => {
  const { connect } = await start(context, (exchange) => {
    sendEmpty(exchange);
    sendJson(exchange, 200, {});
  });
  const client = connect();
  client.send(get);
  const response = await client.next();
  assert.deepEqual([response.status, response.text, response.headers["content-type"]], [204, "", undefined]);
  client.send(get);
  assert.equal((await client.next()).status, 204);
});

test("listen rejects when the port is taken", async (context) => {
  const { port } = await start(context, (exchange) => sendEmpty(exchange));
  const second = createServer({
    host: "127.0.0.1",
    port,
    maxConnections: 10,
    requestTimeoutMs: 1000,
    handle: (exchange) => sendEmpty(exchange),
    log: silentLog,
  });
  await assert.rejects(second.listen(), { code: "EADDRINUSE" });
});
