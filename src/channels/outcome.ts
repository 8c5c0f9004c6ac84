// A platform's response as the outcome of a message, where platforms agree.
import type { CheckResult, SendOutcome } from "../sdk/channel.ts";
import { cutWithMark, oneLine, withoutEndSlash } from "../core/text.ts";
import { type Responded, type PlatformResponse, retryAfterMs } from "./request.ts";

const longestWaitMs = 15 * 60_000;
const longestQuote = 300;

export const rejected = (reason: string): SendOutcome => ({ kind: "rejected", reason });
export const unknown = (reason: string): SendOutcome => ({ kind: "unknown", reason });
/** For what was not sent: it is tried again for a day. */
export const again = (reason: string, afterMs: number | null = null): SendOutcome => ({
  kind: "retry",
  reason,
  afterMs,
});

/** The platform asks us to wait; a wait that is too long rejects the message. What is no wait counts as none. */
export function limited(askedMs: number | null): SendOutcome {
  const afterMs = askedMs !== null && askedMs >= 0 && askedMs < Infinity ? Math.ceil(askedMs) : null;
  if (afterMs !== null && afterMs > longestWaitMs) {
    const minutes = Math.ceil(afterMs / 60_000);
    return rejected(`the platform asks to wait ${minutes} minutes; longer than 15 is not waited for`);
  }
  return again("the platform takes no more messages for now (rate limit)", afterMs);
}

/** `readOwn` reads the platform's own body, and returns null where the status decides. */
export function outcomeOf(
  response: PlatformResponse,
  readOwn: (responded: Responded) => SendOutcome | null,
): SendOutcome {
  if (response.kind === "unreachable") return again(response.reason);
  if (response.kind === "no-response") return unknown(response.reason);
  return readOwn(response) ?? byStatus(response);
}

/**
 * Behind a 5xx the message may be at the platform, so it is `unknown`, unless the platform itself asks for another try.
 * A platform whose documentation says more about its faults reads them before this.
 */
function byStatus({ status, headers, cutAt }: Responded): SendOutcome {
  const askedMs = retryAfterMs(headers);
  if (status === 429) return limited(askedMs);
  if (status === 503 && askedMs !== null)
    return again("the platform takes no messages for now (503)", askedMs);
  if (status === 408 || status >= 500) return unknown(`the platform responded with ${status}`);
  if (status >= 400) return rejected(`the platform responded with ${status}`);
  if (status >= 300)
    return rejected(`the platform responded with ${status}: redirects are not followed, check apiBase`);
  if (cutAt !== null) return unknown(`the platform responded with ${status} and more than ${cutAt} bytes`);
  return unknown(`the platform responded with ${status}, but not in its own form`);
}

/** The id from a call that comes before the message; if that call fails, the message was not sent. */
export function foundId(
  response: PlatformResponse,
  read: (response: PlatformResponse) => SendOutcome,
): string | SendOutcome {
  const outcome = read(response);
  if (outcome.kind === "rejected" || outcome.kind === "retry") return outcome;
  const id =
    response.kind === "responded" ? (response.json as { id?: unknown } | null | undefined)?.id : undefined;
  if (outcome.kind === "sent" && typeof id === "string") return id;
  const reason = outcome.kind === "unknown" ? outcome.reason : "the platform gave no id";
  return again(reason);
}

/** The outcome of a check, from the same kind of response as a message's. */
export const checkOf = (outcome: SendOutcome, detail: string): CheckResult =>
  outcome.kind === "sent" ? { ok: true, detail } : { ok: false, reason: outcome.reason };

/** `apiBase` may end with a slash or without. */
export const within = (apiBase: string, path: string): string => `${withoutEndSlash(apiBase)}/${path}`;

/** The platform's words for use in a reason: one short line without the token. */
export const quoted = (text: string, token: string): string =>
  cutWithMark(oneLine(token === "" ? text : text.replaceAll(token, "…")), longestQuote);
