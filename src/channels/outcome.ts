// What a platform's answer means for a message, where platforms agree.
import type { CheckResult, SendOutcome } from "../sdk/channel.ts";
import { cutWithMark, oneLine } from "../core/text.ts";
import { type Responded, type PlatformResponse, retryAfterMs } from "./request.ts";

const longestWaitMs = 15 * 60_000;
const longestQuote = 300;

export const rejected = (reason: string): SendOutcome => ({ kind: "rejected", reason });
export const unknown = (reason: string): SendOutcome => ({ kind: "unknown", reason });

/** The platform asks us to come again later; when that is much later, the message is better given up. */
export function limited(afterMs: number | null): SendOutcome {
  if (afterMs !== null && afterMs > longestWaitMs) {
    const minutes = Math.ceil(afterMs / 60_000);
    return rejected(`the platform asks to wait ${minutes} minutes; longer than 15 is not waited for`);
  }
  return { kind: "retry", reason: "the platform takes no more messages for now (rate limit)", afterMs };
}

/** `readOwn` reads what the platform has words of its own for, and leaves the rest (null) to the status. */
export function outcomeOf(
  response: PlatformResponse,
  readOwn: (responded: Responded) => SendOutcome | null,
): SendOutcome {
  if (response.kind === "unreachable") return { kind: "retry", reason: response.reason, afterMs: null };
  if (response.kind === "no-response") return unknown(response.reason);
  return readOwn(response) ?? byStatus(response);
}

function byStatus({ status, headers }: Responded): SendOutcome {
  if (status === 429) return limited(retryAfterMs(headers));
  if (status === 408 || status >= 500) return unknown(`the platform answered ${status}`);
  if (status >= 400) return rejected(`the platform answered ${status}`);
  if (status >= 300)
    return rejected(`the platform answered ${status}: redirects are not followed, check apiBase`);
  return unknown(`the platform answered ${status}, but not in its own words`);
}

/** The id that a call before the message itself was to find. Whatever went wrong then, the message was not sent. */
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
  return { kind: "retry", reason, afterMs: null };
}

/** A check goes through the same reading as a message. */
export const checkOf = (outcome: SendOutcome, detail: string): CheckResult =>
  outcome.kind === "sent" ? { ok: true, detail } : { ok: false, reason: outcome.reason };

/** `apiBase` may end with a slash or without. */
export const within = (apiBase: string, path: string): string => `${apiBase.replace(/\/+$/, "")}/${path}`;

/** The platform's words as part of ours: one line, not long, without the token. */
export const quoted = (text: string, token: string): string =>
  cutWithMark(oneLine(token === "" ? text : text.replaceAll(token, "…")), longestQuote);
