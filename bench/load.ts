// The load, in a process of its own: keep-alive connections on raw sockets, each with one request under way. Raw,
// because the fewer cycles the client takes, the more of a two-core machine is left for the server being measured.
import { connect, type Socket } from "node:net";
import { quantile } from "./statistics.ts";

export type LoadOrder = {
  port: number;
  path: string;
  token: string;
  body: string;
  connections: number;
  seconds: number;
  expectedStatus: number;
};

export type LoadResult = {
  requests: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  unexpected: number;
};

async function load(order: LoadOrder): Promise<LoadResult> {
  const request = Buffer.from(
    [
      `POST ${order.path} HTTP/1.1`,
      `Host: 127.0.0.1:${order.port}`,
      `Authorization: Bearer ${order.token}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(order.body)}`,
      "",
      order.body,
    ].join("\r\n"),
  );
  const expected = Buffer.from(`HTTP/1.1 ${order.expectedStatus} `);
  const latencies: number[] = [];
  let unexpected = 0;
  let going = true;

  const drive = (socket: Socket): Promise<void> =>
    new Promise((resolve, reject) => {
      let sentAt = 0;
      let received = Buffer.alloc(0);
      const send = (): void => {
        sentAt = performance.now();
        socket.write(request);
      };
      socket.on("error", reject);
      socket.on("data", (chunk) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const length = answerLength(received);
        if (length === null || received.length < length) return;
        if (received.compare(expected, 0, expected.length, 0, expected.length) !== 0) unexpected++;
        received = received.subarray(length);
        latencies.push(performance.now() - sentAt);
        if (going) return send();
        socket.destroy();
        resolve();
      });
      socket.once("connect", send);
    });

  const startedAt = performance.now();
  const timer = setTimeout(() => (going = false), order.seconds * 1000);
  const sockets = Array.from({ length: order.connections }, () =>
    connect({ port: order.port, host: "127.0.0.1", noDelay: true }),
  );
  await Promise.all(sockets.map(drive));
  clearTimeout(timer);
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    unexpected,
  };
}

const headEnd = Buffer.from("\r\n\r\n");

/** The whole answer's length, once its head is there. */
function answerLength(received: Buffer): number | null {
  const end = received.indexOf(headEnd);
  if (end < 0) return null;
  const match = /content-length: *(\d+)/i.exec(received.toString("latin1", 0, end));
  return end + headEnd.length + Number(match?.[1] ?? 0);
}

process.on("message", (order: LoadOrder) => {
  load(order).then(
    (result) => process.send?.(result),
    (fault: unknown) => {
      console.error(fault);
      process.exit(1);
    },
  );
});
