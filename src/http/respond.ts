// Sends every response: JSON of known length; the connection is kept or closed, as the unread rest of the request
// allows. A response sent before the body's end must stay readable: closing the connection while input still arrives
// resets it, and the caller would see the reset instead of the response.
import { catalogue, type ErrorCode, type Refusal } from "../core/errors.ts";
import type { Exchange } from "./exchange.ts";

const jsonType = "application/json; charset=utf-8";
const lingerMs = { known: 5_000, unknown: 1_000 };

export function sendJson(
  exchange: Exchange,
  status: number,
  body: unknown,
  headers?: readonly string[],
): void {
  send(exchange, status, JSON.stringify(body), headers);
}

export function sendRefusal(exchange: Exchange, refusal: Refusal): void {
  const { status } = catalogue[refusal.refused];
  send(exchange, status, refusalText(refusal), refusalHeaders(status, refusal));
}

/** A response that is not JSON. */
export function sendText(exchange: Exchange, text: string, contentType: string): void {
  send(exchange, 200, text, undefined, contentType);
}

/** A status without a body: 204. */
export function sendEmpty(exchange: Exchange, status = 204, headers?: readonly string[]): void {
  send(exchange, status, null, headers);
}

/** What another system wants to hear, as it is. A body needs a type. */
export function sendAnswer(
  exchange: Exchange,
  status: number,
  { type, text = "", headers = [] }: { type?: string; text?: string; headers?: readonly string[] },
): void {
  if (text !== "") send(exchange, status, text, headers, type);
  else send(exchange, status, null, status === 204 ? headers : ["Content-Length", "0", ...headers]);
}

/** Bytes of which nothing is known: whoever gets them saves them and does not show them. */
export function sendBytes(exchange: Exchange, bytes: Uint8Array, headers?: readonly string[]): void {
  send(exchange, 200, Buffer.from(bytes), headers, "application/octet-stream");
}

/** The same as bytes, for a socket without a request. */
export function rawRefusal(code: ErrorCode, reasonPhrase: string): string {
  const { status } = catalogue[code];
  const text = refusalText({ refused: code });
  const headers = [
    "Content-Type",
    jsonType,
    "Content-Length",
    String(Buffer.byteLength(text)),
    "Connection",
    "close",
  ];
  for (const part of refusalHeaders(status, { refused: code }) ?? []) headers.push(part);
  let head = `HTTP/1.1 ${status} ${reasonPhrase}\r\n`;
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return `${head}\r\n${text}`;
}

// A string rather than a buffer: Node joins it with the head into one write.
const plainTexts = new Map<ErrorCode, string>(
  Object.keys(catalogue).map((code) => [
    code as ErrorCode,
    JSON.stringify(refusalBody({ refused: code as ErrorCode })),
  ]),
);

const refusalText = (refusal: Refusal): string =>
  refusal.details === undefined ? plainTexts.get(refusal.refused)! : JSON.stringify(refusalBody(refusal));

export function refusalBody({ refused, details }: Refusal) {
  const { text } = catalogue[refused];
  return { ok: false, code: refused, error: text, ...(details !== undefined && { details }) };
}

const challengeHeaders = ["WWW-Authenticate", "Bearer"];

export function refusalHeaders(
  status: number,
  { retryAfterSeconds, allow = "POST" }: Refusal,
): readonly string[] | undefined {
  if (status === 401) return challengeHeaders;
  if (status === 405) return ["Allow", allow];
  if (status === 429 || status === 503) {
    return ["Retry-After", String(Math.max(1, Math.ceil(retryAfterSeconds ?? 1)))];
  }
  return undefined;
}

function send(
  exchange: Exchange,
  status: number,
  text: string | Buffer | null,
  more?: readonly string[],
  contentType = jsonType,
): void {
  const { request, response } = exchange;
  if (response.headersSent || response.destroyed) return;
  const headers =
    text === null ? [] : ["Content-Type", contentType, "Content-Length", String(Buffer.byteLength(text))];
  for (const part of more ?? []) headers.push(part);
  const rest = request.complete ? 0 : announcedRest(exchange);
  const close = exchange.stop.stopping || closesWith(exchange, rest);
  if (close) headers.push("Connection", "close");
  response.writeHead(status, headers);
  if (close && rest > 0) endAfterInput(exchange, text);
  else if (text === null) response.end();
  else response.end(text);
}

/** Whether a response that is sent before the body is read closes the connection. */
export const closesUnread = (exchange: Exchange): boolean => closesWith(exchange, announcedRest(exchange));

const closesWith = ({ mustClose, expectsContinue, discardBytes }: Exchange, rest: number): boolean =>
  mustClose || (expectsContinue && rest > 0) || rest > discardBytes;

function announcedRest({ request }: Exchange): number {
  const { headers } = request;
  if (headers["transfer-encoding"] !== undefined) return Infinity;
  const length = headers["content-length"];
  return length === undefined ? 0 : Number(length);
}

function endAfterInput({ request, response, authenticated }: Exchange, text: string | Buffer | null): void {
  // For HEAD, Node writes no body, and no head before `end` either.
  if (text === null || request.method === "HEAD") response.flushHeaders();
  else response.write(text);
  const end = (): void => {
    clearTimeout(timer);
    if (!response.writableEnded) response.end();
  };
  const timer = setTimeout(end, authenticated ? lingerMs.known : lingerMs.unknown);
  request.once("end", end).once("close", end);
  request.resume();
}
