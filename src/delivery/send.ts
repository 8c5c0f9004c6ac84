// Sends one message within a time limit, whatever the channel does.
import type { Clock } from "../core/clock.ts";
import type { SendOutcome } from "../core/delivery.ts";
import { faultKind } from "../core/errors.ts";

/** How long a stopped channel may take to return an outcome. */
const stopGraceMs = 2000;

/** A channel that throws, against its contract, may have sent the message. */
export async function sendWithin(
  send: (signal: AbortSignal) => Promise<SendOutcome>,
  limitMs: number,
  stopping: AbortSignal,
  clock: Clock,
): Promise<SendOutcome> {
  const timeUp = new AbortController();
  const late = Promise.withResolvers<SendOutcome>();
  const lateAfter = (delayMs: number, reason: string) =>
    clock.after(delayMs, () => {
      late.resolve({ kind: "unknown", reason });
      timeUp.abort();
    });
  const cancelTimers = [lateAfter(limitMs, `no answer within ${Math.round(limitMs / 1000)} seconds`)];
  const onStop = () => cancelTimers.push(lateAfter(stopGraceMs, "the gateway stopped before an answer came"));
  stopping.addEventListener("abort", onStop, { once: true });
  try {
    return await Promise.race([late.promise, send(AbortSignal.any([stopping, timeUp.signal]))]);
  } catch (fault) {
    return { kind: "unknown", reason: `internal fault: ${faultKind(fault)}` };
  } finally {
    stopping.removeEventListener("abort", onStop);
    for (const cancelTimer of cancelTimers) cancelTimer();
  }
}
