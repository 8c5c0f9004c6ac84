// The rule of what follows from an attempt: pure, so that every case can be read and tested here.
//
//   replied             → succeeded      summary, delivery, heartbeat
//   failed, may pass    → retry while attempts and time are left, else failed
//   failed              → failed         summary, heartbeat
//   timed-out, cancelled                 summary, heartbeat
//
// A heartbeat leaves no summary. Its events count as shown only when it succeeded.
import type { NewDelivery } from "../core/delivery.ts";
import type { Outcome } from "../core/outcome.ts";
import { backOffMs } from "../core/retry.ts";
import { lastChannel, resolveTarget, type TargetPolicy } from "../core/target.ts";
import { heartbeatDelayMs, type ClaimedRun, type EndStatus } from "../core/run.ts";
import { isAcknowledgement } from "../session/acknowledgement.ts";
import { summaryOf } from "../session/summary.ts";
import type { Settlement } from "../store/store.ts";

export type Attempt = {
  outcome: Outcome;
  workedMs: number;
  /** What a heartbeat's prompt has shown. */
  shownEventIds: readonly string[];
  leftOver: boolean;
};

export type SettlePolicy = TargetPolicy & {
  maxAttempts: number;
  timeoutSeconds: number;
  mainAgentId: string;
  /** In [0, 1), for the back-off. */
  random: number;
};

const retryBackOff = { firstMs: 1000, longestMs: 60_000 };

export const timeLimitSeconds = (run: ClaimedRun, policy: { timeoutSeconds: number }): number =>
  run.request.timeoutSeconds ?? policy.timeoutSeconds;

/** Given back as if it had never been claimed: it costs no attempt, and none of its time. */
export const released: Settlement = {
  next: { kind: "released" },
  workedMs: 0,
  summary: null,
  delivery: null,
  heartbeat: null,
  shownEventIds: [],
};

export function settle(
  run: ClaimedRun,
  attempt: Attempt,
  policy: SettlePolicy,
  newId: () => string,
): Settlement {
  const outcome = withoutBlankReply(attempt.outcome);
  if (outcome.kind === "failed" && outcome.mayPass) {
    const delayMs = backOffMs(run.attempts, retryBackOff, policy.random);
    const leftMs = timeLimitSeconds(run, policy) * 1000 - run.elapsedMs - attempt.workedMs;
    if (run.attempts < policy.maxAttempts && delayMs < leftMs)
      return {
        ...released,
        next: { kind: "retry", delayMs, error: outcome.reason },
        workedMs: attempt.workedMs,
      };
  }
  const ended = run.kind === "heartbeat" ? endHeartbeat : endHook;
  return { workedMs: attempt.workedMs, ...ended(run, { ...attempt, outcome }, policy, newId) };
}

type Ended = Omit<Settlement, "workedMs">;

function endHook(run: ClaimedRun, { outcome }: Attempt, policy: SettlePolicy, newId: () => string): Ended {
  const { status, reply, error } = endOf(outcome);
  const delivery = reply === null ? null : hookDelivery(run, reply, policy, newId);
  const undelivered = delivery?.status === "failed" ? delivery.error : null;
  return {
    next: { kind: "ended", status, reply, error },
    summary: summaryOf(run, newId(), { status, text: reply ?? error ?? "", undelivered }),
    delivery,
    heartbeat:
      run.request.wakeMode === "now" ? { agentId: policy.mainAgentId, delayMs: heartbeatDelayMs } : null,
    shownEventIds: [],
  };
}

function endHeartbeat(run: ClaimedRun, attempt: Attempt, policy: SettlePolicy, newId: () => string): Ended {
  const { status, reply, error } = endOf(attempt.outcome);
  const succeeded = status === "succeeded";
  return {
    next: { kind: "ended", status, reply, error },
    summary: null,
    delivery: reply === null ? null : heartbeatDelivery(run, reply, policy, newId),
    heartbeat: succeeded && attempt.leftOver ? { agentId: policy.mainAgentId, delayMs: 0 } : null,
    shownEventIds: succeeded ? attempt.shownEventIds : [],
  };
}

function hookDelivery(
  run: ClaimedRun,
  reply: string,
  policy: SettlePolicy,
  newId: () => string,
): NewDelivery | null {
  if (!run.request.deliver) return null;
  const delivery = deliveryTo(run.request, run.id, reply, policy, newId);
  return isAcknowledgement(reply, { heartbeat: false })
    ? { ...delivery, status: "suppressed", error: "heartbeat acknowledgement" }
    : delivery;
}

function heartbeatDelivery(
  run: ClaimedRun,
  reply: string,
  policy: SettlePolicy,
  newId: () => string,
): NewDelivery | null {
  if (policy.lastTarget === null || isAcknowledgement(reply, { heartbeat: true })) return null;
  return deliveryTo({ channel: lastChannel, to: null }, run.id, reply, policy, newId);
}

function deliveryTo(
  wanted: { channel: string; to: string | null },
  runId: string,
  text: string,
  policy: TargetPolicy,
  newId: () => string,
): NewDelivery {
  const resolved = resolveTarget(wanted, policy);
  const base = { id: newId(), runId, text };
  return resolved.ok
    ? { ...base, ...resolved.target, status: "waiting", error: null }
    : { ...base, channel: resolved.channel, to: wanted.to, status: "failed", error: resolved.reason };
}

function endOf(outcome: Outcome): { status: EndStatus; reply: string | null; error: string | null } {
  if (outcome.kind === "replied") return { status: "succeeded", reply: outcome.reply, error: null };
  if (outcome.kind === "failed") return { status: "failed", reply: null, error: outcome.reason };
  if (outcome.kind === "cancelled") return { status: "cancelled", reply: null, error: "it was cancelled" };
  return { status: "timed-out", reply: null, error: `no reply within ${outcome.afterSeconds} seconds` };
}

const withoutBlankReply = (outcome: Outcome): Outcome =>
  outcome.kind === "replied" && outcome.reply.trim() === ""
    ? { kind: "failed", reason: "the agent gave no reply", mayPass: false }
    : outcome;
