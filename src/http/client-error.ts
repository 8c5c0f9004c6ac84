// Input that Node cannot parse as a request is refused on the bare socket, in the same shape as any refusal.
import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { catalogue, type ErrorCode } from "../core/errors.ts";
import { rawRefusal } from "./respond.ts";
import { STATUS_CODES } from "./node-http.ts";

const lingerMs = 1_000;

/** `newest`: the newest response on this connection, finished or not. */
export function refuseClientError(fault: Error, socket: Duplex, newest: ServerResponse | null): void {
  const code = "code" in fault ? fault.code : undefined;
  // Our side has ended already; the rest of the input is only discarded.
  if (socket.writableEnded && !socket.destroyed && code !== "ECONNRESET") return;
  if (code === "ECONNRESET" || code === "EPIPE" || !socket.writable) return void socket.destroy();

  if (newest !== null && !newest.writableFinished) {
    const isOwed = newest.req.complete || newest.socket === null;
    if (isOwed) {
      // A good request came before the broken one: its response is sent first, then the connection closes. If that
      // response is written already and promised to keep the connection, the refusal is sent behind it.
      if (newest.shouldKeepAlive && newest.headersSent)
        newest.once("finish", () => socket.writable && refuseSocket(socket, refusalFor(code)));
      newest.shouldKeepAlive = false;
      return closeSlowly(socket);
    }
    // The response was written before the body broke, perhaps just now: it must still be sent.
    if (newest.headersSent) return endSocket(socket);
  }
  refuseSocket(socket, refusalFor(code));
}

function refusalFor(code: unknown): ErrorCode {
  if (code === "HPE_HEADER_OVERFLOW") return "headers-too-large";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "request-timeout";
  return "bad-request";
}

export function refuseSocket(socket: Duplex, code: ErrorCode): void {
  endSocket(socket, rawRefusal(code, STATUS_CODES[catalogue[code].status] ?? "Error"));
}

/**
 * Node would close the connection as soon as the response is sent. Bytes that the caller sends after that would reset
 * it, and a caller that gets the reset first never reads the response.
 */
function closeSlowly(socket: Duplex): void {
  Object.assign(socket, { destroySoon: () => endSocket(socket) });
}

function endSocket(socket: Duplex, last = ""): void {
  socket.end(last);
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(timer));
}
