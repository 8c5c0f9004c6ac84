// One authorized call to one of Google's APIs: a token that was refused is replaced once, and every other refusal is
// a fault that says whether it may pass.
import type { Clock } from "../../core/clock.ts";
import { MailFault } from "../mailbox.ts";
import type { Auth } from "./auth.ts";
import type { Pace } from "./pace.ts";
import { type Answer, type Fields, request } from "./request.ts";

export type Call = {
  method?: "GET" | "POST";
  url: string;
  body?: object;
  /** In units of the quota. */
  cost?: number;
};

/** Null: there is nothing there (404). Throws a MailFault. */
export type Caller = (call: Call, signal: AbortSignal) => Promise<Fields | null>;

export function createCaller({ auth, clock, pace }: { auth: Auth; clock: Clock; pace?: Pace }): Caller {
  async function once({ method = "GET", url, body, cost = 0 }: Call, signal: AbortSignal): Promise<Answer> {
    const token = await auth.token(signal);
    await pace?.(cost, signal);
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const answer = await request(url, init, { signal, clock });
    if (answer.status === 401) auth.drop(token);
    return answer;
  }

  return async (call, signal) => {
    const first = await once(call, signal);
    const answer = first.status === 401 ? await once(call, signal) : first;
    if (answer.status === 404) return null;
    if (answer.status >= 200 && answer.status < 300) return answer.body;
    throw faultOf(answer);
  };
}

const rateLimits =
  /^(?:(?:user)?rateLimitExceeded|quotaExceeded|dailyLimitExceeded|RATE_LIMIT_EXCEEDED|RESOURCE_EXHAUSTED)$/i;
const scopes = /^(?:insufficientPermissions|ACCESS_TOKEN_SCOPE_INSUFFICIENT)$/;

function faultOf({ status, reasons, retryAfterMs }: Answer): MailFault {
  const said = reasons.length > 0 ? `${status} ${reasons[0]}` : String(status);
  if (status === 429 || reasons.some((reason) => rateLimits.test(reason)))
    return new MailFault("retry", `Google's rate limit was met (${said})`, retryAfterMs);
  if (status >= 500 || status === 408)
    return new MailFault("retry", `Google could not answer (${said})`, retryAfterMs);
  if (status === 401) return new MailFault("reauth", `Google refused the login (${said})`);
  if (reasons.some((reason) => scopes.test(reason)))
    return new MailFault("reauth", `the login does not cover what is needed (${said})`);
  return new MailFault("broken", `Google refused the request (${said})`, retryAfterMs);
}
