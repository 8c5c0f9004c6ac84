// What arrives on a connection and is no request: answered in the same shape as any refusal, on the bare socket.
import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { catalogue, type ErrorCode } from "../core/errors.ts";
import { rawRefusal } from "./respond.ts";
import { STATUS_CODES } from "./node-http.ts";

const lingerMs = 1_000;

/** `newest`: the newest answer begun or finished on this connection. */
export function answerClientError(fault: Error, socket: Duplex, newest: ServerResponse | null): void {
  const code = "code" in fault ? fault.code : undefined;
  // Our side has ended already; what still comes in is only being read away.
  if (socket.writableEnded && !socket.destroyed && code !== "ECONNRESET") return;
  if (code === "ECONNRESET" || code === "EPIPE" || !socket.writable) return void socket.destroy();

  if (newest !== null && !newest.writableFinished) {
    const isOwed = newest.req.complete || newest.socket === null;
    if (isOwed) {
      // A good request came before the broken one: it is answered first, and then the connection closes. Where its
      // answer is written already and promises to keep the connection, the broken one is answered behind it.
      if (newest.shouldKeepAlive && newest.headersSent)
        newest.once("finish", () => socket.writable && refuseSocket(socket, refusalFor(code)));
      newest.shouldKeepAlive = false;
      return closeWithPatience(socket);
    }
    // Answered before its body broke, perhaps in this very moment: the answer must still leave.
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
 * When the answer has left, Node would close the connection at once. What the caller still sends would then reset it,
 * and a caller that meets the reset first never sees the answer.
 */
function closeWithPatience(socket: Duplex): void {
  Object.assign(socket, { destroySoon: () => endSocket(socket) });
}

function endSocket(socket: Duplex, last = ""): void {
  socket.end(last);
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(timer));
}
