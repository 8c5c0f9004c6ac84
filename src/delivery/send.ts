// One send, held to its time whatever the channel does.
import type { Clock } from "../core/clock.ts";
import type { SendOutcome } from "../core/delivery.ts";
import { faultKind } from "../core/errors.ts";

/** A channel that breaks its contract by throwing may have sent the message before it did. */
export async function sendWithin(
  send: (signal: AbortSignal) => Promise<SendOutcome>,
  limitMs: number,
  stopping: AbortSignal,
  clock: Clock,
): Promise<SendOutcome> {
  const timeUp = new AbortController();
  const late = Promise.withResolvers<SendOutcome>();
  const takeBack = clock.after(limitMs, () => {
    late.resolve({ kind: "unknown", reason: `no answer within ${Math.round(limitMs / 1000)} seconds` });
    timeUp.abort();
  });
  try {
    return await Promise.race([late.promise, send(AbortSignal.any([stopping, timeUp.signal]))]);
  } catch (fault) {
    return { kind: "unknown", reason: `internal fault: ${faultKind(fault)}` };
  } finally {
    takeBack();
  }
}
