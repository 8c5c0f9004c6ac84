// Reads a body that is not proven yet.
import { isRefusal, type Refusal, refuse } from "../../core/errors.ts";
import { readBody } from "../../http/body.ts";
import type { Exchange } from "../../http/exchange.ts";
import { type Climb, failureKey } from "./climb.ts";

/** A question that needs no proof is short. */
export const largestQuestion = 65_536;

/** An address that failed too often gets a small share of the places, and not none: a good proof is always served. */
const floodShare = 1 / 8;

export const announcedBytes = ({ request: { headers } }: Exchange): number =>
  Number(headers["content-length"] ?? 0);

/** The body, with its place until `release`. Null: the caller went away. */
export async function readUnproven(
  climb: Climb,
  maxBytes: number,
): Promise<{ body: Buffer; release(): void } | Refusal | null> {
  const { exchange, sender, ladder } = climb;
  const { places, failures, bodyTimeoutMs } = ladder.senders;
  const isFlood = failures.limited(failureKey(climb)) !== null;
  const isChunked = exchange.request.headers["transfer-encoding"] !== undefined;
  const taken = places.take({
    holder: isFlood ? `flood ${sender.name}` : sender.name,
    bytes: isChunked ? maxBytes : announcedBytes(exchange),
    share: isFlood ? floodShare : 1,
  });
  const place = taken instanceof Promise ? await taken : taken;
  if (place === null) {
    exchange.mustClose = true;
    return refuse("too-many-bodies", { retryAfterSeconds: 2 });
  }
  // Who went away while waiting is never heard of again.
  const isGone = exchange.request.destroyed;
  const body = isGone ? null : await readBody(exchange, { maxBytes, timeoutMs: bodyTimeoutMs });
  if (body !== null && !isRefusal(body)) return { body, release: place.release };
  place.release();
  return body;
}
