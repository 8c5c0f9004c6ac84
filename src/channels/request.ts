// The one HTTP call that channels make. A reason never contains the URL, a header or a body: tokens are in the
// first two, and a body can repeat them.
import { retryAfterMs as waitIn } from "../core/retry-after.ts";

export type PlatformResponse =
  /** `json` is undefined when the body is no JSON, or longer than is read (`cutAt`). */
  | { kind: "responded"; status: number; headers: Headers; json: unknown; text: string; cutAt: number | null }
  /** Nothing was sent. */
  | { kind: "unreachable"; reason: string }
  /** It may have been sent. */
  | { kind: "no-response"; reason: string };

export type Responded = Extract<PlatformResponse, { kind: "responded" }>;

export type PlatformRequest = {
  headers?: Record<string, string>;
  signal: AbortSignal;
  fetch: typeof fetch;
  /** For the whole call and, when given, for the headers: some platforms respond only when the message is through. */
  timeoutMs?: number;
  /** How much of the body is read. */
  mostBytes?: number;
};

const wholeMs = 30_000;
/** Longer than the ten seconds after which `fetch` reports that it could not connect, so that nothing was sent. */
const untilHeadersMs = 15_000;
const usualBytes = 65_536;

export const postJson = (
  url: string,
  request: PlatformRequest & { body: unknown },
): Promise<PlatformResponse> =>
  call(
    url,
    {
      method: "POST",
      headers: { "content-type": "application/json", ...request.headers },
      body: JSON.stringify(request.body),
    },
    request,
  );

/** The text as it is: for a body that is signed. */
export const postText = (
  url: string,
  request: PlatformRequest & { body: string; type: string },
): Promise<PlatformResponse> =>
  call(
    url,
    { method: "POST", headers: { "content-type": request.type, ...request.headers }, body: request.body },
    request,
  );

export const postForm = (
  url: string,
  request: PlatformRequest & { body: Record<string, string> },
): Promise<PlatformResponse> =>
  call(
    url,
    { method: "POST", headers: { ...request.headers }, body: new URLSearchParams(request.body) },
    request,
  );

export const getJson = (url: string, request: PlatformRequest): Promise<PlatformResponse> =>
  call(url, { headers: { ...request.headers } }, request);

async function call(url: string, init: RequestInit, request: PlatformRequest): Promise<PlatformResponse> {
  const { signal, timeoutMs } = request;
  if (signal.aborted) return { kind: "unreachable", reason: "stopped before it was sent" };
  if (!canBeSent(url, init))
    return { kind: "unreachable", reason: "the address or the token has a character that cannot be sent" };
  const late = AbortSignal.timeout(timeoutMs ?? wholeMs);
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(), timeoutMs ?? untilHeadersMs);
  const ends = AbortSignal.any([signal, late, silent.signal]);
  try {
    const response = await request.fetch(url, { ...init, redirect: "manual", signal: ends });
    clearTimeout(timer);
    return await read(response, request.mostBytes ?? usualBytes);
  } catch (fault) {
    if (signal.aborted) return { kind: "no-response", reason: "stopped before the platform responded" };
    if (ends.aborted) return { kind: "no-response", reason: "the platform did not respond in time" };
    return failureOf(fault instanceof Error ? (fault.cause ?? fault) : fault);
  } finally {
    clearTimeout(timer);
  }
}

/** `fetch` would refuse it too, but its message quotes the token. */
function canBeSent(url: string, init: RequestInit): boolean {
  try {
    return new Request(url, init).url !== "";
  } catch {
    return false;
  }
}

/** A refusal counts even if its body breaks off. */
async function read(response: Response, mostBytes: number): Promise<PlatformResponse> {
  const { status, headers } = response;
  const { text, isCut } = await readStart(response, mostBytes).catch((fault: unknown) => {
    if (response.ok) throw fault;
    return { text: "", isCut: false };
  });
  return { kind: "responded", status, headers, json: parsed(text), text, cutAt: isCut ? mostBytes : null };
}

/** Cut, not refused: the status alone can say enough. */
async function readStart(response: Response, mostBytes: number): Promise<{ text: string; isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > mostBytes) break;
  }
  const text = Buffer.concat(chunks).subarray(0, mostBytes).toString("utf8");
  return { text, isCut: bytes > mostBytes };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const words: Record<string, string> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "its name is not known",
  EAI_AGAIN: "its name could not be looked up",
  ENETUNREACH: "there is no way to its network",
  EHOSTUNREACH: "there is no way to it",
  UND_ERR_CONNECT_TIMEOUT: "connecting took too long",
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is not trusted",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is not trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is not trusted",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  NOT_PUBLIC: "its host has an address that is not on the public internet",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "it does not speak TLS",
};

type Fault = { code?: unknown; syscall?: unknown; message?: unknown };

function failureOf(fault: unknown): PlatformResponse {
  const { code } = (fault ?? {}) as Fault;
  const name = typeof code === "string" && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : "no code";
  if (!isBeforeSending(fault))
    return { kind: "no-response", reason: `the connection broke before the platform responded (${name})` };
  return { kind: "unreachable", reason: `the platform cannot be reached: ${words[name] ?? name}` };
}

function isBeforeSending(fault: unknown): boolean {
  // Its errors are those of each address that was tried.
  if (fault instanceof AggregateError) return fault.errors.length > 0 && fault.errors.every(isBeforeSending);
  const { code, syscall, message } = (fault ?? {}) as Fault;
  return (
    (typeof code === "string" && Object.hasOwn(words, code)) ||
    syscall === "connect" ||
    syscall === "getaddrinfo" ||
    /^bad port$|before secure TLS connection was established/.test(String(message))
  );
}

export const retryAfterMs = (headers: Headers, now = Date.now()): number | null =>
  waitIn((name) => headers.get(name), now);
