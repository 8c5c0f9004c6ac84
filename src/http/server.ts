// The HTTP server: limits, refusals of what is not well-formed HTTP, and an orderly stop. Knows no feature.
//
// There is no `upgrade` listener on purpose: without one Node ignores the header, as HTTP allows, and clients that
// offer `Upgrade: h2c` with every request are served. But Node's parser stops behind such a request and drops the rest
// of the packet, so the response closes the connection: a request sent behind it would otherwise wait for ever.
import type {
  IncomingMessage,
  Server as HttpServer,
  ServerOptions as HttpOptions,
  ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type ErrorCode, faultKind, refuse } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { refuseClientError, refuseSocket } from "./client-error.ts";
import { createExchange, type Exchange, type Stop } from "./exchange.ts";
import { hasDoubtfulEnd, headFault } from "./head.ts";
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
  /**
   * Accepts nothing new, finishes requests in progress, closes the rest. Callers get `drainMs` to send their body and a
   * second to read what they are sent. Only requests that have arrived whole are waited for longer.
   */
  stop(drainMs?: number): Promise<void>;
  connections(): number;
  /** A new time limit for whole requests, from the next check on. */
  limit(requestTimeoutMs: number): void;
};

/** Above the 60 s for which the usual proxies keep an idle connection, so that they close first. */
const keepAliveMs = 65_000;
const checkMs = 50;
/** When the server stops, a connection without a request is closed after this long. */
const silentGraceMs = 1_000;
/** From the refusal of bodies that did not arrive until callers that still hold the server up are cut off. */
const lastGraceMs = 1_000;
const usualDrainMs = 30_000;
const dropLogEveryMs = 10_000;

/** Each open connection with its newest response. */
type Connections = Map<Socket, ServerResponse | null>;

export function createServer(options: ServerOptions): Server {
  const overdue = new AbortController();
  const stop: Stop = { stopping: false, overdue: overdue.signal };
  const connections: Connections = new Map();
  const server = createHttpServer(httpOptions(options));
  server.maxHeadersCount = 100;
  server.maxConnections = options.maxConnections;
  // A caller may end its side once it has sent its request, and still gets its response.
  Object.assign(server, { httpAllowHalfOpen: true });
  trackConnections(server, connections);
  serveRequests(server, connections, stop, options);
  refuseOthers(server, connections);
  logDrops(server, connections, options.log);
  return {
    listen: () => listen(server, options),
    stop(drainMs = usualDrainMs) {
      stop.stopping = true;
      return close(server, connections, { drainMs, onOverdue: () => overdue.abort() });
    },
    connections: () => connections.size,
    limit(requestTimeoutMs) {
      server.requestTimeout = requestTimeoutMs;
    },
  };
}

const httpOptions = (options: ServerOptions): HttpOptions => ({
  headersTimeout: Math.min(options.headersTimeoutMs ?? 10_000, options.requestTimeoutMs),
  requestTimeout: options.requestTimeoutMs,
  connectionsCheckingInterval: options.connectionsCheckingIntervalMs ?? 1_000,
  keepAliveTimeout: keepAliveMs,
  insecureHTTPParser: false,
  // `headFault` checks it, so that the refusal has our shape.
  requireHostHeader: false,
  noDelay: true,
});

function trackConnections(server: HttpServer, connections: Connections): void {
  server.on("connection", (socket: Socket) => {
    connections.set(socket, null);
    socket.once("close", () => connections.delete(socket));
  });
}

function serveRequests(
  server: HttpServer,
  connections: Connections,
  stop: Stop,
  { handle, log }: ServerOptions,
): void {
  const open = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): Exchange => {
    connections.set(request.socket, response);
    const exchange = createExchange(request, response, stop, expectsContinue);
    exchange.mustClose = request.headers.upgrade !== undefined || hasDoubtfulEnd(request);
    return exchange;
  };
  const refuseHead = (exchange: Exchange, code: ErrorCode): void => {
    exchange.mustClose = true;
    sendRefusal(exchange, refuse(code));
  };
  const serve = (exchange: Exchange): void => {
    try {
      const fault = headFault(exchange.request);
      if (fault === null) handle(exchange);
      else refuseHead(exchange, fault);
    } catch (fault) {
      log.error("a request could not be handled", { kind: faultKind(fault) });
      sendRefusal(exchange, refuse("internal-error"));
    }
  };
  server.on("request", (request, response) => serve(open(request, response, false)));
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) =>
    serve(open(request, response, true)),
  );
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) =>
    serve(open(request, response, false)),
  );
}

/** CONNECT, and what is not HTTP. */
function refuseOthers(server: HttpServer, connections: Connections): void {
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => socket.destroy());
    socket.resume();
    refuseSocket(socket, "method-not-allowed");
  });
  server.on("clientError", (fault: Error, socket: Duplex) => {
    refuseClientError(fault, socket, connections.get(socket as Socket) ?? null);
  });
}

function logDrops(server: HttpServer, connections: Connections, log: Log): void {
  let loggedAt = -Infinity;
  server.on("drop", () => {
    if (performance.now() - loggedAt < dropLogEveryMs) return;
    loggedAt = performance.now();
    log.warn("connections are refused: gateway.maxConnections is reached", { count: connections.size });
  });
}

const listen = (server: HttpServer, { host, port, log }: ServerOptions) =>
  new Promise<{ host: string; port: number }>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      server.on("error", (fault) => log.error("the server has a fault", { kind: faultKind(fault) }));
      const address = server.address() as AddressInfo;
      resolve({ host: address.address, port: address.port });
    });
  });

const close = (
  server: HttpServer,
  connections: Connections,
  { drainMs, onOverdue }: { drainMs: number; onOverdue: () => void },
) =>
  new Promise<void>((resolve) => {
    const cutOffAt = performance.now() + drainMs + lastGraceMs;
    const check = setInterval(() => {
      server.closeIdleConnections();
      if (performance.now() >= cutOffAt) cutOff(connections);
    }, checkMs);
    const timers = [setTimeout(closeSilent, silentGraceMs, connections), setTimeout(onOverdue, drainMs)];
    server.close(() => {
      clearInterval(check);
      for (const timer of timers) clearTimeout(timer);
      resolve();
    });
  });

function closeSilent(connections: Connections): void {
  for (const [socket, response] of connections) {
    if (response === null || response.writableFinished) socket.destroy();
  }
}

/** Closes what waits for its caller: for the rest of a body, or for a response to be read. */
function cutOff(connections: Connections): void {
  for (const [socket, response] of connections) {
    if (response === null || response.headersSent || !response.req.complete) socket.destroy();
  }
}
