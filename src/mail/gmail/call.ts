// Calls to Google's APIs with an access token. A refused token is replaced once; every other refusal becomes a fault
// that says whether it may pass by itself.
import type { Clock } from "../../core/clock.ts";
import { MailFault } from "../mailbox.ts";
import type { Auth } from "./auth.ts";
import type { Pace } from "./pace.ts";
import { type GoogleResponse, type Fields, request } from "./request.ts";

export type Call = {
  method?: "GET" | "POST";
  url: string;
  body?: object;
  /** In units of Google's quota. */
  cost?: number;
  /** How long the response may be, where it is a message. */
  mostBytes?: number;
};

/** Null for 404. Throws a MailFault or a TooLarge. */
export type Caller = (call: Call, signal: AbortSignal) => Promise<Fields | null>;

export function createCaller({ auth, clock, pace }: { auth: Auth; clock: Clock; pace?: Pace }): Caller {
  async function once(
    { method = "GET", url, body, cost = 0, mostBytes }: Call,
    signal: AbortSignal,
  ): Promise<GoogleResponse> {
    const token = await auth.token(signal);
    await pace?.(cost, signal);
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await request(url, init, { signal, clock, mostBytes });
    if (response.status === 401) auth.drop(token);
    return response;
  }

  return async (call, signal) => {
    const first = await once(call, signal);
    const response = first.status === 401 ? await once(call, signal) : first;
    if (response.status === 404) return null;
    if (response.status >= 200 && response.status < 300) return response.body;
    throw faultOf(response);
  };
}

const rateLimits =
  /^(?:(?:user)?rateLimitExceeded|quotaExceeded|dailyLimitExceeded|RATE_LIMIT_EXCEEDED|RESOURCE_EXHAUSTED)$/i;
const scopes = /^(?:insufficientPermissions|ACCESS_TOKEN_SCOPE_INSUFFICIENT)$/;

function faultOf({ status, reasons, retryAfterMs }: GoogleResponse): MailFault {
  const shown = reasons.length > 0 ? `${status} ${reasons[0]}` : String(status);
  if (status === 429 || reasons.some((reason) => rateLimits.test(reason)))
    return new MailFault("retry", `Google's rate limit was met (${shown})`, retryAfterMs);
  if (status >= 500 || status === 408)
    return new MailFault("retry", `Google could not handle the request (${shown})`, retryAfterMs);
  if (status === 401) return new MailFault("reauth", `Google refused the login (${shown})`);
  if (reasons.some((reason) => scopes.test(reason)))
    return new MailFault("reauth", `the login does not cover what is needed (${shown})`);
  return new MailFault("broken", `Google refused the request (${shown})`, retryAfterMs);
}
