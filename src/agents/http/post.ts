// One POST. Not `fetch`: its five minutes for the headers and between two pieces of the body would end a long turn, and
// Node offers no way to change them without a dependency.
import { Agent as PlainAgent, type IncomingMessage, request as plainRequest } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";

export type Post = { url: URL; headers: Record<string, string>; body: string };

const keepAliveMs = 60_000;
/** Connections are kept for the next run, which then begins a third sooner; not for long, since services close them. */
const kept = { keepAlive: true, keepAliveMsecs: keepAliveMs, maxFreeSockets: 64, timeout: 4000 };
const byProtocol = {
  "http:": { start: plainRequest, agent: new PlainAgent(kept) },
  "https:": { start: secureRequest, agent: new SecureAgent(kept) },
};

export function post({ url, headers, body }: Post, signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { start, agent } = byProtocol[url.protocol === "https:" ? "https:" : "http:"];
  const send = (connections: typeof agent | false): void => {
    const request = start(url, { method: "POST", headers, signal, agent: connections });
    // A peer that is gone without a word is noticed also in a turn that is silent for long.
    request.on("socket", (socket) => socket.setKeepAlive(true, keepAliveMs));
    let answered = false;
    request.on("response", (response) => {
      answered = true;
      resolve(response);
    });
    request.on("error", (fault) => {
      // A kept connection may have been closed by the other side just now: it never saw the request.
      if (request.reusedSocket && !answered && isReset(fault) && !signal.aborted) send(false);
      else reject(fault);
    });
    request.end(body);
  };
  send(agent);
  return promise;
}

const isReset = (fault: Error): boolean =>
  "code" in fault && (fault.code === "ECONNRESET" || fault.code === "EPIPE");

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
