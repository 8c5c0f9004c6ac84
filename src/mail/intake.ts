// Messages are read, a few at a time, and each becomes what the mappings make of it.
import { faultKind, isRefusal, type Refusal } from "../core/errors.ts";
import { newId } from "../core/id.ts";
import { mailHook, type MailOutcome, type WaitingMail } from "../core/mail.ts";
import type { TakenMail } from "../core/mail.ts";
import type { Acceptance } from "../core/request.ts";
import type { SyncOptions } from "./options.ts";
import { type Fetched, MailFault } from "./mailbox.ts";

export type Taken = {
  mails: TakenMail[];
  /** What there was no time for. */
  left: WaitingMail[];
  /** What ended the taking before its end. */
  fault: { cause: unknown } | null;
};

const fetchesAtOnce = 5;
/** What was read in this time is stored before more is read: nobody waits for a whole batch. */
const stepMs = 250;
/** A message that fails is tried again after each of these, and then left out, with a record. */
const retryAfterMs = [60_000, 600_000, 3_600_000];
/** One message that cannot be read while others can is not waited for longer than this. */
const mostFetchFaults = 5;
const temporary: readonly Refusal["refused"][] = ["queue-full", "store-unavailable", "stopping"];

export function createIntake({ source, mailbox, decide, clock }: SyncOptions) {
  const fetchFaults = new Map<string, number>();

  async function decided(mail: WaitingMail, fetched: Extract<Fetched, { kind: "mail" }>): Promise<TakenMail> {
    const decision = await decide({ source, account: mailbox.account, messages: [fetched.mail] });
    if (isRefusal(decision)) {
      if (temporary.includes(decision.refused)) throw busy(decision);
      return failed(mail, refusalText(decision));
    }
    if (!("outcome" in decision)) return { ...taken(mail.id, "accepted", null), acceptance: decision };
    return decision.outcome === "skipped"
      ? taken(mail.id, "skipped", decision.reason)
      : failed(mail, decision.reason);
  }

  /** Null for a message that is not ours to take, now: under another label it may come again. */
  async function takeOne(mail: WaitingMail, signal: AbortSignal): Promise<TakenMail | null> {
    const fetched = await mailbox.fetch(mail.id, signal);
    fetchFaults.delete(mail.id);
    if (fetched.kind === "gone") return taken(mail.id, "gone", "it was gone before it could be read");
    if (fetched.kind === "mail") return decided(mail, fetched);
    return mail.attempts === 0
      ? null
      : taken(mail.id, "skipped", "it is no longer among the mail that is watched");
  }

  /** What cannot be read again and again, while others can, must not hold them up for ever. */
  function given(mail: WaitingMail, cause: unknown, someRead: boolean): TakenMail | null {
    if (!(cause instanceof MailFault)) return failed(mail, `it could not be taken in (${faultKind(cause)})`);
    if (cause.kind === "reauth") return null;
    const faults = (fetchFaults.get(mail.id) ?? 0) + 1;
    fetchFaults.set(mail.id, faults);
    if (mail.attempts === 0 && (faults < mostFetchFaults || !someRead)) return null;
    fetchFaults.delete(mail.id);
    return failed(mail, cause.message);
  }

  return {
    /** In the order of `mails`, without those that are not ours to take. */
    async take(mails: readonly WaitingMail[], signal: AbortSignal): Promise<Taken> {
      const results = new Map<string, TakenMail | null>();
      const faults: { mail: WaitingMail; cause: unknown }[] = [];
      const left = [...mails];
      const until = clock.now() + stepMs;
      const isOver = (): boolean => endsAll(faults) || (results.size > 0 && clock.now() >= until);
      const worker = async (): Promise<void> => {
        while (!isOver()) {
          const mail = left.shift();
          if (!mail) return;
          try {
            results.set(mail.id, await takeOne(mail, signal));
          } catch (cause) {
            faults.push({ mail, cause });
          }
        }
      };
      await Promise.all(Array.from({ length: fetchesAtOnce }, worker));
      let fault: Taken["fault"] = null;
      for (const { mail, cause } of faults) {
        const outcome = signal.aborted ? null : given(mail, cause, results.size > 0);
        if (outcome === null) fault ??= { cause };
        else results.set(mail.id, outcome);
      }
      return { mails: mails.flatMap(({ id }) => results.get(id) ?? []), left, fault };
    },
  };
}

/** One message's own trouble lets the others go on; more than that is the mailbox's. */
const mostFaults = 3;
const endsAll = (faults: readonly { cause: unknown }[]): boolean =>
  faults.length >= mostFaults ||
  faults.some(
    ({ cause }) => cause instanceof MailFault && (cause.kind === "reauth" || cause.retryAfterMs !== null),
  );

const busy = ({ retryAfterSeconds = 5 }: Refusal): MailFault =>
  new MailFault("retry", "too many runs are waiting", retryAfterSeconds * 1000);

const refusalText = ({ refused, details = [] }: Refusal): string =>
  [refused, ...details.map(({ path, message }) => `${path} ${message}`)].join("; ");

const taken = (
  id: string,
  outcome: MailOutcome,
  reason: string | null,
): TakenMail & { acceptance: Acceptance | null } => ({
  id,
  outcome,
  acceptance: null,
  record: reason === null ? null : recordOf(id, outcome, reason),
  retryInMs: null,
});

function failed({ id, attempts }: WaitingMail, reason: string): TakenMail {
  const retryInMs = retryAfterMs[attempts];
  if (retryInMs === undefined) return taken(id, "failed", `${reason}; given up after ${attempts + 1} tries`);
  return { ...taken(id, "waiting", `${reason}; it is tried again`), retryInMs };
}

const recordOf = (id: string, outcome: MailOutcome, reason: string): TakenMail["record"] => ({
  id: newId(),
  hook: mailHook,
  outcome: outcome === "failed" || outcome === "waiting" ? "failed" : "skipped",
  reason: `mail ${id}: ${reason}`,
});
