// One POST on a connection of its own. Not `fetch`: its five minutes for the headers and between two pieces of the
// body would end a long turn, and Node offers no way to change them without a dependency.
import { type IncomingMessage, request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";

export type Post = { url: URL; headers: Record<string, string>; body: string };

const keepAliveMs = 60_000;

export function post({ url, headers, body }: Post, signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const start = url.protocol === "https:" ? secureRequest : plainRequest;
  const request = start(url, { method: "POST", headers, signal, agent: false });
  // A peer that is gone without a word is noticed also in a turn that is silent for long.
  request.on("socket", (socket) => socket.setKeepAlive(true, keepAliveMs));
  request.on("response", resolve);
  request.on("error", reject);
  request.end(body);
  return promise;
}

/** The body as text; null when it is longer. */
export async function readText(response: IncomingMessage, limitBytes: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limitBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
