// A platform for tests: a real server that keeps what it was asked and answers as it is told, well or badly.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";

export type PlatformCall = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  json: unknown;
};

type Given = {
  status?: number;
  headers?: Record<string, string>;
  json?: unknown;
  text?: string;
  /** Without waiting for the body of the request. */
  early?: boolean;
};
/** `hang`: no answer; `reset`: the connection is cut; `cut`: the answer breaks off. */
export type PlatformReply = Given | "hang" | "reset" | "cut";

export type Platform = { url: string; calls: PlatformCall[] };

export const going = (): AbortSignal => new AbortController().signal;

/** Closed when the tests of the file are over. */
export async function startPlatform(
  reply: PlatformReply | ((call: PlatformCall, count: number) => PlatformReply),
): Promise<Platform> {
  const calls: PlatformCall[] = [];
  const server = createServer((request, response) => {
    if (typeof reply === "object" && reply.early) return give(response, reply);
    void read(request).then((call) => {
      calls.push(call);
      give(response, typeof reply === "function" ? reply(call, calls.length) : reply);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

/** An address where nobody listens. */
export async function deadAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

async function read(request: IncomingMessage): Promise<PlatformCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  const { method = "", url: path = "", headers } = request;
  const isJson = /json/.test(headers["content-type"] ?? "");
  return { method, path, headers, text, json: isJson ? JSON.parse(text) : undefined };
}

function give(response: ServerResponse, reply: PlatformReply): void {
  if (reply === "hang") return;
  if (reply === "reset") return void response.socket?.resetAndDestroy();
  if (reply === "cut") {
    response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
    response.write('{"ok":tr', () => response.socket?.destroy());
    return;
  }
  const { status = 200, headers = {}, json, text = "" } = reply;
  const type = json === undefined ? "text/html" : "application/json";
  response.writeHead(status, { "content-type": type, ...headers });
  response.end(json === undefined ? text : JSON.stringify(json));
}
