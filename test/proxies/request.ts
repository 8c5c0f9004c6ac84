// A client that can say from which loopback address it comes, send in chunks, and wait for 100 Continue.
import { request as httpsRequest } from "node:https";
import { connect } from "node:http2";
import { once } from "node:events";
import { token } from "../system/lab.ts";

export type ProxyRequest = {
  url: string;
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Without a Content-Length, in chunks. */
  chunked?: boolean;
  /** The body only after 100 Continue. */
  waits?: boolean;
  from?: string;
};

export type ProxyResponse = {
  status: number;
  headers: Record<string, unknown>;
  json: Record<string, unknown>;
  continued: boolean;
};

const boundMs = 60_000;

export async function send(options: ProxyRequest): Promise<ProxyResponse> {
  const { url, path = "/hooks/agent", method = "POST", body = "", from } = options;
  const bytes = Buffer.from(body);
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    ...(options.chunked ? { "transfer-encoding": "chunked" } : { "content-length": String(bytes.length) }),
    ...(options.waits && { expect: "100-continue" }),
    ...options.headers,
  };
  const signal = AbortSignal.timeout(boundMs);
  // The path as it is, which `URL` would normalise.
  const { hostname, port } = new URL(url);
  const request = httpsRequest({
    hostname,
    port,
    path,
    method,
    headers,
    signal,
    agent: false,
    ...(from !== undefined && { localAddress: from, family: 4 }),
  });
  let continued = false;
  // The response may come before the end of the body, and the connection may end with it.
  let hasResponse = false;
  const sendBody = async (): Promise<void> => {
    for (let at = 0; at < bytes.length && !hasResponse; at += 65_536) {
      if (!request.write(bytes.subarray(at, at + 65_536))) await once(request, "drain").catch(() => {});
    }
    request.end();
  };
  request.on("error", () => {});
  request.once("continue", () => {
    continued = true;
    void sendBody();
  });
  const responded = once(request, "response");
  if (options.waits) request.flushHeaders();
  else void sendBody();
  const [response] = (await responded) as [import("node:http").IncomingMessage];
  hasResponse = true;
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  request.destroy();
  const json = JSON.parse(Buffer.concat(chunks).toString() || "null") as Record<string, unknown>;
  return { status: response.statusCode ?? 0, headers: response.headers, json, continued };
}

/** The same over HTTP/2. */
export async function sendHttp2(url: string, path: string, body: string): Promise<{ status: number }> {
  const session = connect(url);
  const stream = session.request({
    ":method": "POST",
    ":path": path,
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
  });
  stream.end(body);
  const [headers] = (await once(stream, "response", { signal: AbortSignal.timeout(boundMs) })) as [
    { ":status"?: number },
  ];
  stream.resume();
  await once(stream, "close");
  session.close();
  return { status: headers[":status"] ?? 0 };
}
