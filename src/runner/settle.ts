// Decides what follows from an attempt of a run. Pure, so that every case can be read and tested here.
//
//   replied             → succeeded      summary, delivery, heartbeat
//   failed, may pass    → retry while attempts and time are left (next-try.ts), else failed
//   failed, timed-out                    summary, delivery of a line that says so, heartbeat
//   cancelled                            summary, heartbeat
//
// A heartbeat leaves no summary. Its events count as shown only when it succeeded.
import type { EndedAttempt, ReleasedAttempt } from "../core/attempt.ts";
import { callbackDelivery } from "../core/callback-delivery.ts";
import type { NewDelivery } from "../core/delivery.ts";
import type { Outcome } from "../core/outcome.ts";
import { lastChannel, resolveTarget, type TargetPolicy, type WantedTarget } from "../core/target.ts";
import { heartbeatDelayMs, type ClaimedRun, type EndStatus } from "../core/run.ts";
import { isAcknowledgement } from "../session/acknowledgement.ts";
import { failureNotice } from "../session/failure-notice.ts";
import { summaryOf } from "../session/summary.ts";
import type { TurnEnding, Settlement } from "../core/settlement.ts";
import { attemptRecord } from "./record.ts";
import { nextTry, type NextTryPolicy } from "./next-try.ts";
import { addReport, usedBy, type Price } from "./report.ts";

export type SettlePolicy = TargetPolicy &
  NextTryPolicy & {
    /** The fallback of the run's agent, if the mapping has none. */
    fallback: WantedTarget | null;
    /** Whether a failed run tells the recipient of its reply, if its mapping does not say. */
    deliverFailures: boolean;
    mainAgentId: string;
    /** By model id. */
    prices: Readonly<Record<string, Price>>;
    /** The gateway process that made the attempt. */
    node: string;
  };

type Unrecorded = Omit<Settlement, "attempt">;

/** Back to the queue as if it had never been claimed: the attempt does not count, and neither does its time. */
const released: Unrecorded = {
  next: { kind: "released" },
  workedMs: 0,
  signals: null,
  report: null,
  used: null,
  ending: null,
  summary: null,
  delivery: null,
  callback: null,
  heartbeat: null,
  shownEventIds: [],
};

export function settle(
  run: ClaimedRun,
  attempt: EndedAttempt | ReleasedAttempt,
  policy: SettlePolicy,
  newId: () => string,
): Settlement {
  const follows = attempt.kind === "released" ? released : endedSettlement(run, attempt, policy, newId);
  return { ...follows, attempt: attemptRecord(run, attempt, follows.next, policy) };
}

function endedSettlement(
  run: ClaimedRun,
  attempt: EndedAttempt,
  policy: SettlePolicy,
  newId: () => string,
): Unrecorded {
  const outcome = withoutBlankReply(attempt.outcome);
  const reported = reportedBy(run, attempt, policy);
  const next = nextTry(run, { ...attempt, outcome }, policy);
  if (outcome.kind === "failed" && next.kind === "retry")
    return {
      ...released,
      next: { kind: "retry", delayMs: next.delayMs, error: outcome.reason },
      ...reported,
    };
  const why = next.kind === "none" ? next.why : null;
  const ended = run.kind === "heartbeat" ? endHeartbeat : endHook;
  return { ...reported, ...ended(run, { ...attempt, outcome: withReason(outcome, why) }, policy, newId) };
}

/** What is stored for every ended attempt. */
type Reported = Pick<Settlement, "workedMs" | "signals" | "report" | "used">;

function reportedBy(run: ClaimedRun, attempt: EndedAttempt, { prices }: SettlePolicy): Reported {
  const { workedMs, signals, outcome, model, toolsGranted } = attempt;
  if (!attempt.agentCalled) return { workedMs, signals, report: null, used: null };
  const report = "report" in outcome ? outcome.report : undefined;
  const used = usedBy(report, model === null ? undefined : prices[model]);
  const { budget } = run.request;
  return {
    workedMs,
    signals,
    report: addReport(run.report, report, used, toolsGranted),
    used: used && budget !== null ? { ...used, budget } : used,
  };
}

type Ended = Omit<Unrecorded, keyof Reported>;

function endHook(
  run: ClaimedRun,
  { outcome }: EndedAttempt,
  policy: SettlePolicy,
  newId: () => string,
): Ended {
  const { status, reply, error } = endOf(outcome);
  const delivery =
    reply === null
      ? failureDelivery(run, status, error ?? "", policy, newId)
      : hookDelivery(run, reply, policy, newId);
  const undelivered = delivery?.status === "failed" ? delivery.error : null;
  return {
    next: { kind: "ended", status, reply, error },
    ending: endingOf(run, outcome, true),
    summary: summaryOf(run, newId(), { status, text: reply ?? error ?? "", undelivered }),
    delivery,
    callback: callbackDelivery(run, newId, unanswered(reply)),
    heartbeat:
      run.request.wakeMode === "now" ? { agentId: policy.mainAgentId, delayMs: heartbeatDelayMs } : null,
    shownEventIds: [],
  };
}

const unanswered = (reply: string | null): string | null => {
  if (reply === null) return "the run has no reply";
  return isAcknowledgement(reply, { heartbeat: false }) ? "heartbeat acknowledgement" : null;
};

function endHeartbeat(
  run: ClaimedRun,
  attempt: EndedAttempt,
  policy: SettlePolicy,
  newId: () => string,
): Ended {
  const { status, reply, error } = endOf(attempt.outcome);
  const succeeded = status === "succeeded";
  const isNews = reply !== null && !isAcknowledgement(reply, { heartbeat: true });
  return {
    next: { kind: "ended", status, reply, error },
    ending: endingOf(run, attempt.outcome, isNews || attempt.shownEventIds.length > 0),
    summary: null,
    delivery: reply === null ? null : heartbeatDelivery(run, reply, policy, newId),
    callback: null,
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
  const delivery = deliveryTo(run.request, run, reply, policy, newId);
  return isAcknowledgement(reply, { heartbeat: false })
    ? { ...delivery, status: "suppressed", error: "heartbeat acknowledgement" }
    : delivery;
}

/** Of a failure that can be told to nobody the record is kept; the trouble is the run's, not the delivery's. */
function failureDelivery(
  run: ClaimedRun,
  status: EndStatus,
  reason: string,
  policy: SettlePolicy,
  newId: () => string,
): NewDelivery | null {
  const { deliver, deliverFailures } = run.request;
  if (status !== "failed" && status !== "timed-out") return null;
  if (!deliver || !(deliverFailures ?? policy.deliverFailures)) return null;
  const delivery = deliveryTo(run.request, run, failureNotice(run, status, reason), policy, newId);
  return delivery.status === "failed" ? { ...delivery, status: "suppressed" } : delivery;
}

function heartbeatDelivery(
  run: ClaimedRun,
  reply: string,
  policy: SettlePolicy,
  newId: () => string,
): NewDelivery | null {
  if (policy.lastTarget === null || isAcknowledgement(reply, { heartbeat: true })) return null;
  return deliveryTo({ channel: lastChannel, to: null }, run, reply, policy, newId);
}

/** To the wanted target, else to the fallback, else failed or suppressed (`resolveTarget`). */
function deliveryTo(
  wanted: WantedTarget,
  run: ClaimedRun,
  text: string,
  policy: SettlePolicy,
  newId: () => string,
): NewDelivery {
  const fallback = run.request.fallback ?? policy.fallback;
  const base = { id: newId(), runId: run.id, text, fallback, trace: run.request.trace };
  const resolved = resolveTarget(wanted, policy);
  if (resolved.ok) return { ...base, ...resolved.target, status: "waiting", error: null };
  const instead = fallback && resolveTarget(fallback, policy);
  if (instead?.ok) return { ...base, ...instead.target, fallback: null, status: "waiting", error: null };
  const { channel, status, reason } = resolved;
  if (!instead || instead.reason === reason)
    return { ...base, channel, to: wanted.to, status, error: reason };
  const error = `${reason} (no fallback: ${instead.reason})`;
  return { ...base, channel, to: wanted.to, status: "failed", error };
}

function endingOf(run: ClaimedRun, outcome: Outcome, carried: boolean): TurnEnding {
  const { reply, error } = endOf(outcome);
  const foreignSession = ("report" in outcome ? outcome.report?.foreignSession : undefined) ?? null;
  const { agentId, sessionKey } = run;
  const text = reply ?? `(No reply: ${error ?? "unknown"}.)`;
  return {
    agentId,
    sessionKey,
    text,
    foreignSession: run.isolated ? null : foreignSession,
    carried,
  };
}

function endOf(outcome: Outcome): { status: EndStatus; reply: string | null; error: string | null } {
  if (outcome.kind === "replied") return { status: "succeeded", reply: outcome.reply, error: null };
  if (outcome.kind === "failed") return { status: "failed", reply: null, error: outcome.reason };
  if (outcome.kind === "cancelled") return { status: "cancelled", reply: null, error: "it was cancelled" };
  return { status: "timed-out", reply: null, error: `no reply within ${outcome.afterSeconds} seconds` };
}

const withReason = (outcome: Outcome, why: string | null): Outcome =>
  outcome.kind === "failed" && why !== null ? { ...outcome, reason: `${outcome.reason} (${why})` } : outcome;

const withoutBlankReply = (outcome: Outcome): Outcome =>
  outcome.kind === "replied" && outcome.reply.trim() === ""
    ? { kind: "failed", reason: "the agent gave no reply", mayPass: false }
    : outcome;
