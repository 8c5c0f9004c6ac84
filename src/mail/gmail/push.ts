// Hints that Pub/Sub pushes. They have a route of their own: Pub/Sub cannot send the hook token, but signs one itself.
import type { Clock } from "../../core/clock.ts";
import { isRefusal, refuse } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { headRefusal, parseJson, readBody } from "../../http/body.ts";
import type { Exchange } from "../../http/exchange.ts";
import { repeated, singleHeader } from "../../http/headers.ts";
import { sendEmpty, sendRefusal } from "../../http/respond.ts";
import { type Hint, readHint } from "./hint.ts";
import { type Expected, type FindKey, tokenFault } from "../../core/google-token.ts";
import { fieldsIn, isFields } from "./request.ts";

export type PushOptions = {
  expected: Expected;
  findKey: FindKey;
  clock: Clock;
  log: Log;
  onHint: (hint: Hint) => void;
};

const logEveryMs = 60_000;
const body = { maxBytes: 65_536, timeoutMs: 10_000 };

/** Responds with 204 to every push with a good token; its content is only a hint. */
export function createPush({
  expected,
  findKey,
  clock,
  log,
  onHint,
}: PushOptions): (exchange: Exchange) => void {
  const loggedAt = new Map<string, number>();

  /** Strangers can post here, so each reason is logged once a minute at most. */
  function logRefusal(reason: string): void {
    if (clock.monotonic() - (loggedAt.get(reason) ?? -Infinity) < logEveryMs) return;
    loggedAt.set(reason, clock.monotonic());
    log.warn("a push was refused: its token cannot be trusted", { reason });
  }

  async function acceptPush(exchange: Exchange): Promise<void> {
    const result = headRefusal(exchange.request.headers, body.maxBytes) ?? (await readBody(exchange, body));
    if (result === null) return;
    if (isRefusal(result)) return sendRefusal(exchange, result);
    sendEmpty(exchange);
    const parsed = parseJson(result);
    const value = isRefusal(parsed) ? null : parsed.value;
    const hint = isFields(value) ? readHint(fieldsIn(value, "message")) : null;
    if (hint) onHint(hint);
    else log.debug("a push names no mailbox");
  }

  async function check(exchange: Exchange): Promise<void> {
    const token = bearerOf(exchange.request.rawHeaders);
    const fault =
      token === null ? "there is none" : await tokenFault(token, { expected, findKey, now: clock.now() });
    if (fault === null) return acceptPush(exchange);
    logRefusal(fault);
    sendRefusal(exchange, refuse("push-unauthorized"));
  }

  return (exchange) => {
    if (exchange.request.method !== "POST") return sendRefusal(exchange, refuse("method-not-allowed"));
    check(exchange).catch(() => sendRefusal(exchange, refuse("internal-error")));
  };
}

function bearerOf(rawHeaders: readonly string[]): string | null {
  const header = singleHeader(rawHeaders, "authorization");
  if (header === undefined || header === repeated) return null;
  return /^bearer +(\S+)$/i.exec(header.trim())?.[1] ?? null;
}
