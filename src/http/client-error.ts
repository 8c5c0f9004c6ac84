// What arrives on a connection and is no request: answered in the same shape as any refusal, on the bare socket.
import { STATUS_CODES, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { catalogue, type ErrorCode } from "../core/errors.ts";
import { rawRefusal } from "./respond.ts";

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
      // A good request came before the broken one: it is answered first, and then the connection closes.
      newest.shouldKeepAlive = false;
      return;
    }
    if (newest.headersSent) return void socket.destroy();
  }
  refuseSocket(socket, refusalFor(code));
}

function refusalFor(code: unknown): ErrorCode {
  if (code === "HPE_HEADER_OVERFLOW") return "headers-too-large";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "request-timeout";
  return "bad-request";
}

export function refuseSocket(socket: Duplex, code: ErrorCode): void {
  socket.end(rawRefusal(code, STATUS_CODES[catalogue[code].status] ?? "Error"));
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(timer));
}
