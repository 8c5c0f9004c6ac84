// Decides what follows from an attempt to send. Pure.
//
//   sent      → sent
//   retry     → waiting (back-off, or the platform's delay if that is longer), or the end when a day has passed
//   rejected  → failed
//   unknown   → waiting once, for longer than a short breakdown takes, then unknown, because each attempt may be a
//               duplicate; on a platform that drops duplicates, waiting as after `retry`
//   stopped   → waiting, and the attempt does not count
//
// A delivery that is not sent goes to its fallback (`fallback.ts`) or leaves one notice for the main session.
import type { ClaimedDelivery } from "../core/delivery.ts";
import { type BackOff, backOffMs, retryWaitMs } from "../core/retry.ts";
import { mainSessionKey } from "../core/run.ts";
import type { NewEvent } from "../core/system-event.ts";
import { cutWithMark, oneLine } from "../core/text.ts";
import type { DeliverySettlement } from "../core/settlement.ts";
import type { Progress } from "./transmit.ts";

export type SendPolicy = {
  firstMs: number;
  /** In place of `firstMs`, where the next attempt is the last one. */
  firstUncertainMs: number;
  longestMs: number;
  giveUpAfterMs: number;
  /** The waits after each attempt, in place of a growing one; none is left after the last. */
  waitsMs?: readonly number[];
};

export const sendPolicy: SendPolicy = {
  firstMs: 1000,
  firstUncertainMs: 60_000,
  longestMs: 3_600_000,
  giveUpAfterMs: 86_400_000,
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** As Standard Webhooks advises: three days, so that a receiver that broke over a weekend loses nothing. */
export const callbackPolicy: SendPolicy = {
  ...sendPolicy,
  longestMs: 24 * hourMs,
  giveUpAfterMs: 96 * hourMs,
  waitsMs: [
    5000,
    5 * minuteMs,
    30 * minuteMs,
    2 * hourMs,
    5 * hourMs,
    10 * hourMs,
    14 * hourMs,
    20 * hourMs,
    24 * hourMs,
  ],
};

export type SendMoment = {
  /** How long the delivery has waited, this attempt included. */
  waitedMs: number;
  /** In [0, 1). */
  random: number;
  newId: () => string;
  /** The platform drops duplicates. */
  idempotent: boolean;
};

export function settleSend(
  delivery: ClaimedDelivery,
  { sentMessages, uncertainSends, outcome }: Omit<Progress, "kind">,
  policy: SendPolicy,
  { waitedMs, random, newId, idempotent }: SendMoment,
): DeliverySettlement {
  const progress = { sentMessages, uncertainSends };
  const again = (delayMs: number, reason: string, uncertain = uncertainSends): DeliverySettlement => {
    const isLast = policy.waitsMs !== undefined && delivery.attempts > policy.waitsMs.length;
    if (isLast) {
      const error = `given up after ${delivery.attempts} attempts: ${reason}`;
      return ended(delivery, progress, uncertain > 0 ? "unknown" : "failed", error, newId);
    }
    const isInTime = waitedMs + delayMs <= policy.giveUpAfterMs;
    if (isInTime) return { ...waiting, sentMessages, uncertainSends: uncertain, delayMs, error: reason };
    const error = `given up after ${Math.round(policy.giveUpAfterMs / 3_600_000)} hours: ${reason}`;
    return ended(delivery, progress, uncertain > 0 ? "unknown" : "failed", error, newId);
  };
  const waitMs = (askedMs: number | null) =>
    retryWaitMs(delivery.attempts, askedMs, backOffOf(delivery, policy), random);

  switch (outcome.kind) {
    case "sent":
      return { ...waiting, sentMessages, status: "sent" };
    case "stopped":
      return released({ ...delivery, ...progress });
    case "rejected":
      return ended(delivery, progress, "failed", outcome.reason, newId);
    case "retry":
      return again(waitMs(outcome.afterMs), outcome.reason);
    case "unknown": {
      const error = `it may have been sent: ${outcome.reason}`;
      if (idempotent) return again(waitMs(null), error, uncertainSends + 1);
      if (uncertainSends > 0) return ended(delivery, progress, "unknown", error, newId);
      const patient = { firstMs: policy.firstUncertainMs, longestMs: policy.longestMs };
      return again(backOffMs(delivery.attempts, patient, random), error, 1);
    }
  }
}

/** A given wait is kept to within a tenth, so that receivers are not asked in step. */
function backOffOf({ attempts }: Pick<ClaimedDelivery, "attempts">, policy: SendPolicy): BackOff {
  const wait = policy.waitsMs?.[attempts - 1];
  return wait === undefined ? policy : { firstMs: wait, longestMs: wait, factor: 1, half: true };
}

/** Without an attempt: there is no target, or nothing to send. */
export const settleUntried = (
  delivery: ClaimedDelivery,
  reason: string,
  newId: () => string,
): DeliverySettlement => ended(delivery, delivery, "failed", reason, newId);

/** Kept as it is: no channel is configured, and none was asked for by name. */
export const settleSuppressed = (
  { sentMessages, uncertainSends }: Pick<ClaimedDelivery, "sentMessages" | "uncertainSends">,
  reason: string,
): DeliverySettlement => ({ ...waiting, status: "suppressed", error: reason, sentMessages, uncertainSends });

/** Back to the outbox on a clean stop: the attempt does not count. */
export const released = ({
  error,
  sentMessages,
  uncertainSends,
}: Pick<ClaimedDelivery, "error" | "sentMessages" | "uncertainSends">): DeliverySettlement => ({
  ...waiting,
  error,
  sentMessages,
  uncertainSends,
  countsAttempt: false,
});

const waiting: DeliverySettlement = {
  status: "waiting",
  delayMs: 0,
  countsAttempt: true,
  error: null,
  sentMessages: 0,
  uncertainSends: 0,
  notice: null,
  fallback: null,
};

function ended(
  { channel }: Pick<ClaimedDelivery, "channel">,
  { sentMessages, uncertainSends }: Pick<ClaimedDelivery, "sentMessages" | "uncertainSends">,
  status: "failed" | "unknown",
  error: string,
  newId: () => string,
): DeliverySettlement {
  const notice = noticeOf(newId(), channel, status, error);
  return { ...waiting, status, error, sentMessages, uncertainSends, notice };
}

function noticeOf(id: string, channel: string, status: "failed" | "unknown", error: string): NewEvent {
  const what = status === "failed" ? "could not be delivered" : "may not have been delivered";
  const reason = { label: "reason", source: "reply", text: cutWithMark(oneLine(error), 500) } as const;
  const text = [`A reply ${what} on ${channel}: `, reason];
  return { id, sessionKey: mainSessionKey, source: "notice", hook: null, text };
}
