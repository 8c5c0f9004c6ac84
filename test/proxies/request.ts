// A client that can say from which loopback address it comes, send in chunks, and wait for 100 Continue.
import { request as httpsRequest } from "node:https";
import { connect } from "node:http2";
import { once } from "node:events";
import { token } from "../system/lab.ts";

export type Asked = {
  url: string;
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Without a Content-Length, in pieces. */
  chunked?: boolean;
  /** The body only after 100 Continue. */
  waits?: boolean;
  from?: string;
};

export type Answer = {
  status: number;
  headers: Record<string, unknown>;
  json: Record<string, unknown>;
  continued: boolean;
};

const boundMs = 60_000;

export async function ask(asked: Asked): Promise<Answer> {
  const { url, path = "/hooks/agent", method = "POST", body = "", from } = asked;
  const bytes = Buffer.from(body);
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    ...(asked.chunked ? { "transfer-encoding": "chunked" } : { "content-length": String(bytes.length) }),
    ...(asked.waits && { expect: "100-continue" }),
    ...asked.headers,
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
  // The answer may come before the end of the body, and the connection may end with it.
  let isAnswered = false;
  const send = async (): Promise<void> => {
    for (let at = 0; at < bytes.length && !isAnswered; at += 65_536) {
      if (!request.write(bytes.subarray(at, at + 65_536))) await once(request, "drain").catch(() => {});
    }
    request.end();
  };
  request.on("error", () => {});
  request.once("continue", () => {
    continued = true;
    void send();
  });
  const answered = once(request, "response");
  if (asked.waits) request.flushHeaders();
  else void send();
  const [response] = (await answered) as [import("node:http").IncomingMessage];
  isAnswered = true;
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  request.destroy();
  const json = JSON.parse(Buffer.concat(chunks).toString() || "null") as Record<string, unknown>;
  return { status: response.statusCode ?? 0, headers: response.headers, json, continued };
}

/** The same over HTTP/2. */
export async function askHttp2(url: string, path: string, body: string): Promise<{ status: number }> {
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
