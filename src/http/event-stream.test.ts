import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createFakeClock, eventually } from "../../test/fakes/clock.ts";
import { serveExchanges } from "../../test/fixtures/exchange-server.ts";
import { readEvents } from "../../test/support/events.ts";
import { type EventStream, openEventStream } from "./event-stream.ts";
import type { Exchange } from "./exchange.ts";

async function createScene(t: TestContext) {
  const clock = createFakeClock();
  const opened: { stream: EventStream; exchange: Exchange }[] = [];
  let closed = 0;
  const { url, connect } = await serveExchanges(t, (exchange) => {
    const stream = openEventStream(exchange, { clock, onClose: () => void closed++ });
    opened.push({ stream, exchange });
  });
  return { clock, url, opened, closed: () => closed, connect };
}

test("a client is told when to connect again, and gets events as they are", async (t) => {
  const { url, opened, closed, clock } = await createScene(t);
  const reader = await readEvents(url);
  const { stream } = opened[0]!;
  stream.send({ event: "run", id: 3, data: { text: "one\ntwo\r\u2028" } });
  stream.end({ event: "end", data: {} });
  stream.send({ event: "late", data: {} });
  stream.end({ event: "later", data: {} });
  assert.deepEqual(await reader.rest(), [
    { event: "run", id: "3", data: { text: "one\ntwo\r\u2028" } },
    { event: "end", id: undefined, data: {} },
  ]);
  await eventually(() => closed() === 1);
  assert.equal(clock.waiting(), 0);
});

/** A client that reads nothing. */
async function openSilent(scene: Awaited<ReturnType<typeof createScene>>) {
  const client = scene.connect();
  client.socket.pause();
  client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  await eventually(() => scene.opened.length === 1);
  return { client, ...scene.opened[0]! };
}

const large = { event: "delta", data: { text: "x".repeat(100_000) } };

test("a reader that takes nothing is let go before much waits for it", async (t) => {
  const scene = await createScene(t);
  const { stream, exchange } = await openSilent(scene);
  let sent = 0;
  while (scene.closed() === 0 && sent < 1000) {
    stream.send(large);
    sent++;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(scene.closed(), 1);
  assert.ok(sent < 200, `${sent} events of 100 kB`);
  assert.equal(exchange.response.destroyed, true);
  assert.equal(scene.clock.waiting(), 0);
  stream.send(large);
  stream.end(large);
});

test("a slow reader loses nothing: what waited comes when it reads again", async (t) => {
  const scene = await createScene(t);
  const { stream, exchange, client } = await openSilent(scene);
  let sent = 0;
  while (!exchange.response.writableNeedDrain) {
    stream.send({ event: "n", data: { at: sent++, text: "x".repeat(50_000) } });
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (let more = 0; more < 10; more++) stream.send({ event: "n", data: { at: sent++, text: "" } });
  stream.end({ event: "end", data: { reply: "y".repeat(3_000_000) } });
  const chunks: Buffer[] = [];
  client.socket.on("data", (bytes: Buffer) => void chunks.push(bytes));
  client.socket.resume();
  await eventually(() => scene.closed() === 1);
  await client.closed;
  const text = Buffer.concat(chunks).toString();
  const numbers = [...text.matchAll(/"at":(\d+)/g)].map(([, number]) => Number(number));
  assert.deepEqual(
    numbers,
    Array.from({ length: sent }, (_, at) => at),
  );
  assert.ok(text.length > 3_000_000 && text.includes('"reply":"yyy'));
});

test("a connection that takes nothing for a minute is closed, also while the end is on its way", async (t) => {
  const scene = await createScene(t);
  const { stream, exchange } = await openSilent(scene);
  stream.end({ event: "end", data: { reply: "y".repeat(20_000_000) } });
  await scene.clock.advance(45_000);
  assert.equal(exchange.response.destroyed, false);
  await scene.clock.advance(30_000);
  await eventually(() => scene.closed() === 1);
  assert.equal(exchange.response.destroyed, true);
});
