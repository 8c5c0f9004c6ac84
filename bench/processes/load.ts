// The load generator, a process with keep-alive connections on raw sockets. Raw sockets take the fewest cycles, which
// leaves more of a two-core machine to the server under measurement.
//
// Closed loop: a connection sends its next request when the last response has arrived; this finds the highest rate.
// Open loop: requests are due at random moments of a given rate, whether or not earlier ones have a response. Latency
// counts from the moment a request was due, so that waiting for a free connection is part of it.
import { createHmac, randomUUID } from "node:crypto";
import { connect, type Socket } from "node:net";
import { createRandom, quantile } from "../statistics.ts";
import { createTally } from "./tally.ts";

export type LoadRequest = {
  path: string;
  body: string;
  /** Each request is a delivery of its own, signed as GitHub does; `ID` in the body stands for its id. */
  signedWith?: string;
};

export type LoadOrder = {
  port: number;
  /** Sent in turns. */
  requests: readonly LoadRequest[];
  token: string;
  connections: number;
  seconds: number;
  expectedStatus: readonly number[];
  /** Requests a second for the open loop; null for the closed one. */
  rate: number | null;
  /** Whether the result has the ids of the responses and the moments at which their requests were due. */
  keepIds: boolean;
};

export type LoadResult = {
  requests: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  unexpected: number;
  /** One unexpected response, for the error message. */
  example: string | null;
  /** Open loop: requests without a response ten seconds after the end. */
  withoutResponse: number;
  ids: string[];
  /** When the request was due, for each of `ids`, in microseconds of the machine's own clock. */
  dueUs: number[];
};

const graceMs = 10_000;

/** All processes on this machine share this clock. */
const nowUs = (): number => Number(process.hrtime.bigint()) / 1000;

const bytesOf = (order: LoadOrder, { path, body }: LoadRequest, headers: readonly string[] = []): Buffer =>
  Buffer.from(
    [
      `POST ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${order.port}`,
      `Authorization: Bearer ${order.token}`,
      "Content-Type: application/json",
      ...headers,
      `Content-Length: ${Buffer.byteLength(body)}`,
      "",
      body,
    ].join("\r\n"),
  );

function deliveryOf(order: LoadOrder, request: LoadRequest, secret: string): Buffer {
  const id = randomUUID();
  const body = request.body.replace("ID", id);
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  const headers = [
    `X-Hub-Signature-256: sha256=${signature}`,
    `X-GitHub-Delivery: ${id}`,
    "X-GitHub-Event: issues",
  ];
  return bytesOf(order, { ...request, body }, headers);
}

type Connection = { send(request: Buffer, dueUs: number): void; close(): void };

/** Larger than any response. */
const chunkBytes = 16 * 1024;

async function openConnection(
  port: number,
  onResponse: (response: string, dueUs: number, connection: Connection) => void,
  onFault: (fault: Error) => void,
): Promise<Connection> {
  let due = 0;
  let received = "";
  const onChunk = (length: number, chunk: Uint8Array): boolean => {
    received += (chunk as Buffer).toString("latin1", 0, length);
    const end = responseEnd(received);
    if (end === null || received.length < end) return true;
    const response = received.slice(0, end);
    received = received.slice(end);
    onResponse(response, due, connection);
    return true;
  };
  const onread = { buffer: Buffer.allocUnsafe(chunkBytes), callback: onChunk };
  const socket: Socket = connect({ port, host: "127.0.0.1", noDelay: true, onread });
  const connection: Connection = {
    send(request, dueUs) {
      due = dueUs;
      socket.write(request);
    },
    close: () => socket.destroy(),
  };
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  socket.on("error", onFault);
  return connection;
}

/** The end of the response, or null while its head is incomplete. */
function responseEnd(received: string): number | null {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd < 0) return null;
  const match = /content-length: *(\d+)/i.exec(received.slice(0, headEnd));
  return headEnd + 4 + Number(match?.[1] ?? 0);
}

async function load(order: LoadOrder): Promise<LoadResult> {
  globalThis.gc?.();
  const requests = order.requests.map((each): (() => Buffer) => {
    const { signedWith } = each;
    if (signedWith !== undefined) return () => deliveryOf(order, each, signedWith);
    const bytes = bytesOf(order, each);
    return () => bytes;
  });
  const expected = new Set(order.expectedStatus);
  const tally = createTally();
  let unexpected = 0;
  let example: string | null = null;
  let sent = 0;
  const { promise: over, resolve: end, reject } = Promise.withResolvers<void>();

  const next = (): Buffer => requests[sent++ % requests.length]!();
  const count = (response: string, dueUs: number): void => {
    const latencyMs = (nowUs() - dueUs) / 1000;
    if (!expected.has(Number(response.slice(9, 12)))) {
      unexpected++;
      example ??= response.slice(0, 400);
    }
    tally.add(latencyMs, dueUs, order.keepIds ? idIn(response) : null);
  };

  const loop = order.rate === null ? closedLoop : openLoop;
  const driver = loop({ order, next, responded: tally.size, end });
  const connections = await Promise.all(
    Array.from({ length: order.connections }, () =>
      openConnection(
        order.port,
        (response, dueUs, connection) => {
          count(response, dueUs);
          driver.onFree(connection);
        },
        reject,
      ),
    ),
  );
  const startedUs = nowUs();
  driver.start(connections, startedUs);
  await over;
  const seconds = (nowUs() - startedUs) / 1_000_000;
  for (const each of connections) each.close();
  const latencies = tally.latenciesMs();
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    unexpected,
    example,
    withoutResponse: sent - latencies.length + driver.waiting(),
    ...tally.identified(),
  };
}

const idIn = (response: string): string | null =>
  /"(?:runId|eventId)":"([0-9a-f-]{36})"/.exec(response)?.[1] ?? null;

type LoopOptions = { order: LoadOrder; next(): Buffer; responded(): number; end(): void };
type Driver = {
  start(connections: readonly Connection[], atUs: number): void;
  onFree(connection: Connection): void;
  /** Due and not yet sent. */
  waiting(): number;
};

function closedLoop({ order, next, end }: LoopOptions): Driver {
  let untilUs = Infinity;
  let going = order.connections;
  return {
    start(connections, atUs) {
      untilUs = atUs + order.seconds * 1_000_000;
      for (const each of connections) each.send(next(), nowUs());
    },
    onFree(connection) {
      const now = nowUs();
      if (now < untilUs) connection.send(next(), now);
      else if (--going === 0) end();
    },
    waiting: () => 0,
  };
}

function openLoop({ order, next, responded, end }: LoopOptions): Driver {
  const random = createRandom(46_65);
  const rate = order.rate ?? 1;
  const idle: Connection[] = [];
  const due: number[] = [];
  let head = 0;
  let nextUs = 0;
  let untilUs = 0;
  let planned = 0;
  let timer: NodeJS.Timeout | undefined;

  const sendDue = (): void => {
    while (head < due.length && idle.length > 0) idle.pop()!.send(next(), due[head++]!);
    if (head === due.length) head = due.length = 0;
  };
  const tick = (): void => {
    const now = nowUs();
    while (nextUs <= now && nextUs < untilUs) {
      due.push(nextUs);
      planned++;
      nextUs += (-Math.log(1 - random()) / rate) * 1_000_000;
    }
    sendDue();
    const done = nextUs >= untilUs && responded() === planned;
    if (done || now > untilUs + graceMs * 1000) end();
    else timer = setTimeout(tick, 1);
  };
  return {
    start(connections, atUs) {
      idle.push(...connections);
      nextUs = atUs;
      untilUs = atUs + order.seconds * 1_000_000;
      clearTimeout(timer);
      tick();
    },
    onFree(connection) {
      idle.push(connection);
      sendDue();
    },
    waiting: () => due.length - head,
  };
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
