// Posts one request to the gateway. Returns the response as plain values.
import { UsageError } from "../../core/errors.ts";
import { readText } from "../../core/response-body.ts";
import type { Pair } from "./request-options.ts";

export type HookResponse = {
  status: number;
  body: Readonly<Record<string, unknown>> | null;
  replayed: boolean;
};

export type HookRequest = {
  /** Null: the headers prove the request. */
  token: string | null;
  body: string | Buffer;
  headers: readonly Pair[];
  idempotencyKey: string | undefined;
};

const timeoutMs = 60_000;
/** Another program may listen there. */
const mostBytes = 1_048_576;

export async function postHook(url: string, request: HookRequest): Promise<HookResponse> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: headersOf(request),
      body: request.body,
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
    text = await readText(response, mostBytes);
  } catch (fault) {
    throw new UsageError(unreachable(url, fault));
  }
  const replayed = response.headers.get("idempotent-replayed") === "true";
  return { status: response.status, body: readObject(text), replayed };
}

function headersOf({ token, headers: written, idempotencyKey }: HookRequest): Headers {
  const headers = new Headers();
  for (const [name, value] of written) headers.append(name, value);
  if (!headers.has("content-type")) headers.set("content-type", "application/json");
  if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey);
  if (token !== null) headers.set("authorization", `Bearer ${token}`);
  return headers;
}

function readObject(text: string): HookResponse["body"] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function unreachable(url: string, fault: unknown): string {
  const { origin } = new URL(url);
  const code = faultCode(fault);
  if (code === "ECONNREFUSED")
    return `Nothing is listening on ${origin}. Start the gateway first, in another terminal: rouse start`;
  if (code === "TimeoutError") return `${origin} did not respond within ${timeoutMs / 1000} seconds.`;
  return `${origin} could not be reached (${code}). Is it the gateway's address? See gateway.host and gateway.port, or --url.`;
}

/** The code of a fault of `fetch`, which has it one level down. */
export function faultCode(fault: unknown): string {
  const cause = fault instanceof Error && fault.cause !== undefined ? fault.cause : fault;
  if (!(cause instanceof Error)) return "unknown fault";
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
}
