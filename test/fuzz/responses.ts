// Reads responses byte by byte, as a strict client would, and compares them with docs/errors.md.
import { catalogue, type ErrorCode } from "../../src/core/errors.ts";

export type RawResponse = { status: number; headers: ReadonlyMap<string, string>; body: string };

/** `rest` follows the response. Null: it is not complete yet. */
export type Taken = { response: RawResponse; rest: string } | { fault: string } | null;

const statusLine = /^HTTP\/1\.1 (\d{3}) [\x20-\x7e]+$/;

/** `received` has one character for each byte. */
export function takeResponse(received: string, isHead: boolean): Taken {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd === -1) return null;
  const [first = "", ...lines] = received.slice(0, headEnd).split("\r\n");
  const status = Number(statusLine.exec(first)?.[1]);
  if (Number.isNaN(status)) return { fault: `this is no status line: ${JSON.stringify(first.slice(0, 80))}` };
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(": ");
    const name = line.slice(0, colon).toLowerCase();
    if (colon < 1 || headers.has(name)) return { fault: `this header is odd or there twice: ${line}` };
    headers.set(name, line.slice(colon + 2));
  }
  const hasBody = status >= 200 && status !== 204 && !isHead;
  const length = Number(headers.get("content-length") ?? (hasBody ? Number.NaN : 0));
  if (Number.isNaN(length)) return { fault: `the response ${status} has no length` };
  const end = headEnd + 4 + (hasBody ? length : 0);
  if (received.length < end) return null;
  return { response: { status, headers, body: received.slice(headEnd + 4, end) }, rest: received.slice(end) };
}

export type Verdict = {
  /** The fault of the response by itself, whatever the request was. */
  fault: string | null;
  /** The name by which outcomes are counted: the code of a refusal, or the status. */
  outcome: string;
  /** The ids that it says are stored. */
  runIds: readonly string[];
  eventIds: readonly string[];
  replayed: boolean;
  closes: boolean;
};

const metricsType = "text/plain; version=0.0.4; charset=utf-8";

export function judge({ status, headers, body }: RawResponse, isHead: boolean, hook: string): Verdict {
  const verdict = {
    outcome: String(status),
    runIds: [],
    eventIds: [],
    replayed: headers.get("idempotent-replayed") === "true",
    closes: headers.get("connection") === "close",
  };
  if (status < 200) return { ...verdict, fault: status === 100 ? null : `a response of ${status}` };
  if (status === 204) return { ...verdict, fault: body === "" ? null : "a 204 with a body" };
  const type = headers.get("content-type");
  if (status === 200 && type === metricsType && (isHead || body.startsWith("# ")))
    return { ...verdict, fault: null };
  if (type !== "application/json; charset=utf-8")
    return { ...verdict, fault: `the response ${status} is not JSON` };
  if (isHead) return { ...verdict, fault: status === 405 || status === 200 || status >= 400 ? null : "odd" };
  const json = parsed(body);
  if (json === null)
    return { ...verdict, fault: `the response ${status} cannot be read: ${body.slice(0, 80)}` };
  if (status < 400) return { ...verdict, ...stored(json), fault: acceptedFault(status, json) };
  const code = String(json["code"]);
  return {
    ...verdict,
    outcome: code,
    fault: refusalFault(status, code, json, headers) ?? neverFault(code, hook),
  };
}

type Json = Record<string, unknown>;

function parsed(body: string): Json | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(body, "latin1").toString());
    return typeof value === "object" && value !== null ? (value as Json) : null;
  } catch {
    return null;
  }
}

const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((each) => typeof each === "string");

const stored = ({ runId, runIds, eventId, eventIds }: Json) => ({
  runIds: texts(runId ?? runIds),
  eventIds: texts(eventId ?? eventIds),
});

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function acceptedFault(status: number, json: Json): string | null {
  const { runIds, eventIds } = stored(json);
  if (json["ok"] !== true) return `the response ${status} is not ok`;
  if (status !== 200 && status !== 202) return `a response of ${status}`;
  if ((status === 202) !== runIds.length > 0) return `the response ${status} names ${runIds.length} runs`;
  return [...runIds, ...eventIds].every((id) => uuid.test(id)) ? null : "an id is no UUID version 7";
}

/** With the store available and nothing stopping, these are faults of ours. */
const never: ReadonlySet<string> = new Set([
  "internal-error",
  "mapping-failed",
  "stopping",
  "store-unavailable",
]);

function refusalFault(
  status: number,
  code: string,
  json: Json,
  headers: ReadonlyMap<string, string>,
): string | null {
  if (!Object.hasOwn(catalogue, code)) return `the code ${code} is not in the catalogue`;
  const known = catalogue[code as ErrorCode];
  if (known.status !== status || json["ok"] !== false || json["error"] !== known.text)
    return `the response ${status} ${code} is not as documented`;
  if (Object.hasOwn(json, "details") !== (code === "invalid-payload" || code === "invalid-body"))
    return `details with ${code}, or none`;
  if ((status === 429 || status === 503) && !/^[1-9]\d*$/.test(headers.get("retry-after") ?? ""))
    return `no Retry-After with ${code}`;
  if (status === 405 && !["POST", "GET, HEAD"].includes(headers.get("allow") ?? ""))
    return "no Allow with 405";
  if (status === 401 && headers.get("www-authenticate") !== "Bearer") return "no challenge with 401";
  return null;
}

/** On a busy machine a write may take long, and `/readyz` may say so. What is over a mapping's bounds fails it. */
const neverFault = (code: string, hook: string): string | null =>
  never.has(code) &&
  !(hook === "readyz" && code === "store-unavailable") &&
  !(hook.startsWith("hurt/") && code === "mapping-failed")
    ? `the response ${code}`
    : null;
