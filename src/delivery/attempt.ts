// The rule of what follows from an attempt to send: pure.
//
//   sent      → sent
//   retry     → waiting (the platform's delay, else back-off), or failed when a day has passed
//   rejected  → failed
//   unknown   → waiting once, then unknown: better twice than never, but not for ever
//
// An end other than `sent` leaves one notice for the main session, so that it is never silent.
import type { ClaimedDelivery, SendOutcome } from "../core/delivery.ts";
import { backOffMs } from "../core/retry.ts";
import { mainSessionKey } from "../core/run.ts";
import type { NewEvent } from "../core/system-event.ts";
import type { ResolvedTarget } from "../core/target.ts";
import { cutWithMark, oneLine } from "../core/text.ts";
import type { DeliverySettlement } from "../store/store.ts";

export type SendPolicy = { firstMs: number; longestMs: number; giveUpAfterMs: number };

export const sendPolicy: SendPolicy = {
  firstMs: 1000,
  longestMs: 3_600_000,
  giveUpAfterMs: 86_400_000,
};

/** Begins the error of a delivery whose last attempt may have been sent: how the next one knows. */
const mayHaveBeenSent = "it may have been sent";

/** What is known when an attempt is over; `random` in [0, 1). */
export type SendMoment = { now: number; random: number; newId: () => string };

type Addressed = Pick<DeliverySettlement, "channel" | "to">;

export function settleSend(
  delivery: ClaimedDelivery,
  target: Addressed,
  outcome: SendOutcome,
  policy: SendPolicy,
  { now, random, newId }: SendMoment,
): DeliverySettlement {
  const end = (status: "failed" | "unknown", error: string) =>
    ended(target, status, error, noticeOf(newId(), target.channel, status, error));
  const backOff = backOffMs(delivery.attempts, policy, random);

  if (outcome.kind === "sent") return ended(target, "sent", null, null);
  if (outcome.kind === "rejected") return end("failed", outcome.reason);
  if (outcome.kind === "unknown") {
    const error = `${mayHaveBeenSent}: ${outcome.reason}`;
    return delivery.error?.startsWith(mayHaveBeenSent)
      ? end("unknown", error)
      : waiting(target, backOff, error);
  }
  const delayMs = outcome.afterMs ?? backOff;
  const gaveUp = now + delayMs > delivery.createdAt + policy.giveUpAfterMs;
  return gaveUp
    ? end("failed", `given up after ${Math.round(policy.giveUpAfterMs / 3_600_000)} hours: ${outcome.reason}`)
    : waiting(target, delayMs, outcome.reason);
}

/** There is nowhere to send it. */
export const settleUnresolved = (
  delivery: ClaimedDelivery,
  { channel, reason }: Extract<ResolvedTarget, { ok: false }>,
  newId: () => string,
): DeliverySettlement =>
  ended({ channel, to: delivery.to }, "failed", reason, noticeOf(newId(), channel, "failed", reason));

/** Given back on a clean stop, before anything was sent. */
export const giveBack = ({ channel, to, error }: ClaimedDelivery): DeliverySettlement => ({
  ...waiting({ channel, to }, 0, error),
  countsAttempt: false,
});

const waiting = ({ channel, to }: Addressed, delayMs: number, error: string | null): DeliverySettlement => ({
  status: "waiting",
  delayMs,
  countsAttempt: true,
  error,
  channel,
  to,
  notice: null,
});

const ended = (
  { channel, to }: Addressed,
  status: "sent" | "failed" | "unknown",
  error: string | null,
  notice: NewEvent | null,
): DeliverySettlement => ({ status, delayMs: 0, countsAttempt: true, error, channel, to, notice });

function noticeOf(id: string, channel: string, status: "failed" | "unknown", error: string): NewEvent {
  const what = status === "failed" ? "could not be delivered" : "may not have been delivered";
  const text = `A reply ${what} on ${channel}: ${cutWithMark(oneLine(error), 500)}`;
  return { id, sessionKey: mainSessionKey, source: "notice", hook: null, text };
}
