// The HTTP server: limits, refusals of what is not well-formed HTTP, and an orderly stop. Knows no feature.
//
// There is no `upgrade` listener on purpose: without one Node ignores the header, as HTTP allows, and clients
// that offer `Upgrade: h2c` with every request are served. But Node's parser has stopped behind such a request and
// drops what came with it, so its answer ends the connection: else a request sent behind it would never be answered.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { faultKind, refuse } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { answerClientError, refuseSocket } from "./client-error.ts";
import { createExchange, type Exchange } from "./exchange.ts";
import { repeated, singleHeader } from "./headers.ts";
import { createHttpServer } from "./node-http.ts";
import { sendRefusal } from "./respond.ts";

export type ServerOptions = {
  host: string;
  port: number;
  maxConnections: number;
  headersTimeoutMs?: number;
  /** Comfortably above the time a handler gives a body: the last resort, not the rule. */
  requestTimeoutMs: number;
  connectionsCheckingIntervalMs?: number;
  handle(exchange: Exchange): void;
  log: Log;
};

export type Server = {
  listen(): Promise<{ host: string; port: number }>;
  /** Accepts nothing new, finishes requests in progress, closes the rest. */
  stop(): Promise<void>;
  connections(): number;
  /** A new time limit for whole requests, from the next check on. */
  limit(requestTimeoutMs: number): void;
};

/** Above the 60 s for which the usual proxies keep an idle connection, so that they close first. */
const keepAliveMs = 65_000;
const idleCheckMs = 50;
/** A connection whose request has not begun gets this long when the server stops. */
const silentGraceMs = 1_000;
const dropLogEveryMs = 10_000;

export function createServer(options: ServerOptions): Server {
  const { log } = options;
  const lifecycle = { stopping: false };
  /** Each connection with the newest answer on it. */
  const connections = new Map<Socket, ServerResponse | null>();

  function take(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): Exchange {
    connections.set(request.socket, response);
    const exchange = createExchange(request, response, lifecycle, expectsContinue);
    exchange.mustClose = request.headers.upgrade !== undefined;
    return exchange;
  }

  function handle(exchange: Exchange): void {
    try {
      if (hasGoodHost(exchange.request)) options.handle(exchange);
      else sendRefusal(exchange, refuse("bad-request"));
    } catch (fault) {
      log.error("a request could not be handled", { kind: faultKind(fault) });
      sendRefusal(exchange, refuse("internal-error"));
    }
  }

  const requestTimeout = options.requestTimeoutMs;
  const server = createHttpServer({
    headersTimeout: Math.min(options.headersTimeoutMs ?? 10_000, requestTimeout),
    requestTimeout,
    connectionsCheckingInterval: options.connectionsCheckingIntervalMs ?? 1_000,
    keepAliveTimeout: keepAliveMs,
    insecureHTTPParser: false,
    // Checked by us, to be answered in our shape.
    requireHostHeader: false,
    noDelay: true,
  });
  server.maxHeadersCount = 100;
  server.maxConnections = options.maxConnections;
  // A caller may end its side once it has sent its request, and still gets its answer.
  Object.assign(server, { httpAllowHalfOpen: true });

  server.on("connection", (socket: Socket) => {
    connections.set(socket, null);
    socket.once("close", () => connections.delete(socket));
  });
  server.on("request", (request, response) => handle(take(request, response, false)));
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) =>
    handle(take(request, response, true)),
  );
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    const exchange = take(request, response, false);
    exchange.mustClose = true;
    sendRefusal(exchange, refuse("expectation-failed"));
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => socket.destroy());
    socket.resume();
    refuseSocket(socket, "method-not-allowed");
  });
  server.on("clientError", (fault: Error, socket: Duplex) => {
    answerClientError(fault, socket, connections.get(socket as Socket) ?? null);
  });

  let droppedLogAt = -Infinity;
  server.on("drop", () => {
    if (performance.now() - droppedLogAt < dropLogEveryMs) return;
    droppedLogAt = performance.now();
    log.warn("connections are refused: gateway.maxConnections is reached", { count: connections.size });
  });

  function closeSilent(): void {
    for (const [socket, response] of connections) {
      if (response === null || response.writableFinished) socket.destroy();
    }
  }

  return {
    listen: () =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(options.port, options.host, () => {
          server.off("error", reject);
          server.on("error", (fault) => log.error("the server has a fault", { kind: faultKind(fault) }));
          const { address, port } = server.address() as AddressInfo;
          resolve({ host: address, port });
        });
      }),
    stop: () =>
      new Promise((resolve) => {
        lifecycle.stopping = true;
        const idleCheck = setInterval(() => server.closeIdleConnections(), idleCheckMs);
        const grace = setTimeout(closeSilent, silentGraceMs);
        server.close(() => {
          clearInterval(idleCheck);
          clearTimeout(grace);
          resolve();
        });
      }),
    connections: () => connections.size,
    limit(requestTimeoutMs) {
      server.requestTimeout = requestTimeoutMs;
    },
  };
}

/** Exactly one `Host`: with two, a proxy before us and we could mean different ones. HTTP/1.0 may have none. */
function hasGoodHost(request: IncomingMessage): boolean {
  const host = singleHeader(request.rawHeaders, "host");
  if (host === repeated) return false;
  return host !== undefined || request.httpVersion === "1.0";
}
