// A loopback server in front of the gateway that passes on the exposed hooks and nothing else. What a tunnel brings in
// can never reach another path, whatever the tunnel does to `Host`.
import { createServer, type IncomingMessage, request as sendRequest, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { catalogue } from "../core/errors.ts";
import { parseAddress } from "../http/client-address.ts";
import { singleHeader } from "../http/headers.ts";
import { matchRoute } from "../hooks/route.ts";
import type { ExposedHook } from "./exposed-hooks.ts";

export type PassedRequest = { name: string; method: string; status: number; durationMs: number };

export type RelayOptions = {
  hooks: readonly ExposedHook[];
  hooksPath: string;
  gateway: { host: string; port: number };
  /** The header in which the tunnel names the caller; null where it writes X-Forwarded-For by itself. */
  callerHeader: string | null;
  onPassed: (passed: PassedRequest) => void;
};

export type Relay = {
  port: number;
  /** Answers this path with this text, so that it can be seen from outside; null ends that. */
  showAt(shown: { path: string; text: string } | null): void;
  close(): Promise<void>;
};

/** Of one connection, not of the message. `Expect` was answered by this server. */
const connectionHeaders = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
]);

export async function openRelay(options: RelayOptions): Promise<Relay> {
  let shown: { path: string; text: string } | null = null;
  const server = createServer({ insecureHTTPParser: false }, (request, response) => {
    response.on("error", () => {});
    if (shown !== null && request.method === "GET" && request.url === shown.path)
      return answer(response, 200, { shown: shown.text });
    const hook = exposedHook(request, options);
    if (hook === null) return refuse(request, response);
    pass(request, response, hook, options);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    showAt: (wanted) => void (shown = wanted),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(
  response: ServerResponse,
  status: number,
  value: object,
  more: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(value);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text), ...more };
  response.writeHead(status, headers).end(text);
}

// As the gateway answers, and the proxies whose files are in `deploy/`.
const notFound = { ok: false, code: "not-found", error: catalogue["not-found"].text };
const noAnswer = {
  ok: false,
  code: "no-answer",
  error:
    "No gateway answered. The request may have been stored: send it again with the same Idempotency-Key.",
};

/** The raw target is looked at as the gateway does: what is not exactly an exposed name is none. */
function exposedHook({ url = "", method = "" }: IncomingMessage, options: RelayOptions): ExposedHook | null {
  const route = matchRoute(url, options.hooksPath);
  const hook = route && options.hooks.find(({ name }) => name === route.name);
  return hook?.methods.has(method) ? hook : null;
}

/** The body is not read: the connection ends. */
function refuse(request: IncomingMessage, response: ServerResponse): void {
  answer(response, 404, notFound, { connection: "close" });
  request.resume();
  response.on("finish", () => request.socket.destroySoon());
}

function pass(
  request: IncomingMessage,
  response: ServerResponse,
  { name }: ExposedHook,
  { gateway, callerHeader, onPassed }: RelayOptions,
): void {
  const startedAt = performance.now();
  const method = request.method ?? "";
  const passed = (status: number): void =>
    onPassed({ name, method, status, durationMs: performance.now() - startedAt });
  const onward = sendRequest({
    host: gateway.host,
    port: gateway.port,
    method,
    path: request.url,
    headers: headersFor(request, callerHeader),
    setHost: false,
    agent: false,
  });
  let isAnswered = false;
  onward.on("response", (incoming) => {
    isAnswered = true;
    const { statusCode = 502, statusMessage } = incoming;
    response.writeHead(statusCode, statusMessage, messageHeaders(incoming.rawHeaders));
    incoming.on("error", () => response.destroy());
    incoming.pipe(response);
    passed(statusCode);
  });
  onward.on("error", () => {
    // A gateway that refuses a request early does not read its body to the end.
    if (isAnswered) return;
    answer(response, 502, noAnswer, { connection: "close" });
    passed(502);
  });
  response.on("close", () => onward.destroy());
  request.on("error", () => onward.destroy());
  request.pipe(onward);
}

/** Names and values in turn, as they came. */
function messageHeaders(rawHeaders: readonly string[], without: ReadonlySet<string> = new Set()): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (!connectionHeaders.has(name) && !without.has(name)) kept.push(rawHeaders[at]!, rawHeaders[at + 1]!);
  }
  return kept;
}

const forwardedFor = "x-forwarded-for";

/** The caller stands last in X-Forwarded-For, where the gateway reads it. */
function headersFor({ rawHeaders }: IncomingMessage, callerHeader: string | null): string[] {
  const named = callerHeader === null ? undefined : singleHeader(rawHeaders, callerHeader);
  const caller = typeof named === "string" ? parseAddress(named) : null;
  const headers = messageHeaders(rawHeaders, callerHeader === null ? undefined : new Set([forwardedFor]));
  const hops = rawHeaders.filter(
    (_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === forwardedFor,
  );
  if (callerHeader !== null && (hops.length > 0 || caller !== null))
    headers.push("X-Forwarded-For", [...hops, caller ?? "unknown"].join(", "));
  return headers;
}
