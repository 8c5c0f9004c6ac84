// The stored outcome of one message: taken in, left out, or to be tried again.
import type { Refusal } from "../core/errors.ts";
import { newId } from "../core/id.ts";
import { mailHook, type MailOutcome, type TakenMail, type WaitingMail } from "../core/mail.ts";
import { type Acceptance, type NewRequest, newRequest, noArrival } from "../core/request.ts";

/** A message that fails is tried again after each of these, and then given up. */
const retryAfterMs = [60_000, 600_000, 3_600_000];

export const accepted = (id: string, acceptance: Acceptance): TakenMail => ({
  ...base(id, "accepted"),
  acceptance,
});

/** It leads to no run; the reason is recorded for the operator. `request`: where it came so far. */
export const recorded = (
  id: string,
  outcome: MailOutcome,
  reason: string,
  request: NewRequest = unreadMail(id),
): TakenMail => ({
  ...base(id, outcome),
  record: {
    request,
    outcome: outcome === "failed" || outcome === "waiting" ? "failed" : "skipped",
    reason: `mail ${id}: ${reason}`,
  },
});

export function failed({ id, attempts }: WaitingMail, reason: string, request?: NewRequest): TakenMail {
  const retryInMs = retryAfterMs[attempts];
  if (retryInMs === undefined)
    return recorded(id, "failed", `${reason}; given up after ${attempts + 1} tries`, request);
  return { ...recorded(id, "waiting", `${reason}; it is tried again`, request), retryInMs };
}

const unreadMail = (id: string): NewRequest =>
  newRequest({
    id: newId(),
    hook: mailHook,
    origin: "mail",
    arrival: { ...noArrival, delivery: id },
  });

export const refusalText = ({ refused, details = [] }: Refusal): string =>
  [refused, ...details.map(({ path, message }) => `${path} ${message}`)].join("; ");

const base = (id: string, outcome: MailOutcome): TakenMail => ({
  id,
  outcome,
  acceptance: null,
  record: null,
  retryInMs: null,
});
