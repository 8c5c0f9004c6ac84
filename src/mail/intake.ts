// Reads messages, a few at a time, and lets the mappings decide what each becomes.
import { faultKind, isRefusal, type Refusal } from "../core/errors.ts";
import { TooLarge } from "../core/response-body.ts";
import type { TakenMail, WaitingMail } from "../core/mail.ts";
import { type Mail, MailFault } from "./mailbox.ts";
import type { SyncOptions } from "./options.ts";
import { accepted, failed, recorded, refusalText } from "./outcome.ts";

export type Read = {
  /** In the order of the ids given, without messages that this account does not take. */
  mails: TakenMail[];
  /** Not read yet: the time was up. */
  left: WaitingMail[];
  /** The mailbox itself fails: no more can be read now. */
  fault: { cause: unknown } | null;
};

export type Intake = { read(mails: readonly WaitingMail[], signal: AbortSignal): Promise<Read> };

/** A batch while it is read. A result is null for a message that this account does not take. */
type Batch = {
  readonly left: WaitingMail[];
  readonly results: Map<string, TakenMail | null>;
  readonly faults: { readonly mail: WaitingMail; readonly cause: unknown }[];
};

const fetchesAtOnce = 5;
/** After this time, the messages read so far are stored before more are read. */
const batchMs = 250;
/** One message's own fault lets the others go on; so many are the mailbox's. */
const mostFaults = 3;
/** One message that cannot be read while others can is not waited for longer than this. */
const mostFetchFaults = 5;
const temporary: readonly Refusal["refused"][] = ["queue-full", "store-unavailable", "stopping"];

export function createIntake({ source, mailbox, decide, clock }: SyncOptions): Intake {
  /** Of messages that have not been read yet, by id. */
  const fetchFaults = new Map<string, number>();

  async function decideOn(waiting: WaitingMail, mail: Mail): Promise<TakenMail> {
    const { decision, request } = await decide({ source, account: mailbox.account, messages: [mail] });
    if (isRefusal(decision)) {
      if (temporary.includes(decision.refused)) throw queueFault(decision);
      return failed(waiting, refusalText(decision), request);
    }
    if (!("outcome" in decision)) return accepted(mail.id, decision);
    return decision.outcome === "skipped"
      ? recorded(mail.id, "skipped", decision.reason, request)
      : failed(waiting, decision.reason, request);
  }

  /** Null for a message that is excluded now: under another label it may come again. */
  async function readOne(waiting: WaitingMail, signal: AbortSignal): Promise<TakenMail | null> {
    const { id, attempts } = waiting;
    const fetched = await mailbox.fetch(id, signal);
    fetchFaults.delete(id);
    if (fetched.kind === "mail") return decideOn(waiting, fetched.mail);
    if (fetched.kind === "gone") return recorded(id, "gone", "it was gone before it could be read");
    return attempts === 0
      ? null
      : recorded(id, "skipped", "it is no longer in the folder or under the label");
  }

  async function work(batch: Batch, until: number, signal: AbortSignal): Promise<void> {
    const isTimeUp = (): boolean => batch.results.size > 0 && clock.monotonic() >= until;
    while (!isMailboxFault(batch) && !isTimeUp()) {
      const mail = batch.left.shift();
      if (!mail) return;
      try {
        batch.results.set(mail.id, await readOne(mail, signal));
      } catch (cause) {
        batch.faults.push({ mail, cause });
      }
    }
  }

  /** What is stored of a message that cannot be read; null: the fault is the mailbox's, and the message comes again. */
  function giveUp(mail: WaitingMail, cause: unknown, canOthersBeRead: boolean): TakenMail | null {
    if (cause instanceof TooLarge) return failed(mail, `it could not be taken in: ${cause.message}`);
    if (!(cause instanceof MailFault)) return failed(mail, `it could not be taken in (${faultKind(cause)})`);
    if (cause.kind === "reauth") return null;
    const faults = (fetchFaults.get(mail.id) ?? 0) + 1;
    fetchFaults.set(mail.id, faults);
    if (mail.attempts === 0 && (faults < mostFetchFaults || !canOthersBeRead)) return null;
    fetchFaults.delete(mail.id);
    return failed(mail, cause.message);
  }

  return {
    async read(mails, signal) {
      const batch: Batch = { left: [...mails], results: new Map(), faults: [] };
      const until = clock.monotonic() + batchMs;
      await Promise.all(Array.from({ length: fetchesAtOnce }, () => work(batch, until, signal)));
      const { left, results, faults } = batch;
      let fault: Read["fault"] = null;
      for (const { mail, cause } of faults) {
        const given = signal.aborted ? null : giveUp(mail, cause, results.size > 0);
        if (given === null) fault ??= { cause };
        else results.set(mail.id, given);
      }
      return { mails: mails.flatMap(({ id }) => results.get(id) ?? []), left, fault };
    },
  };
}

const isMailboxFault = ({ faults }: Batch): boolean =>
  faults.length >= mostFaults ||
  faults.some(
    ({ cause }) => cause instanceof MailFault && (cause.kind === "reauth" || cause.retryAfterMs !== null),
  );

const queueFault = ({ retryAfterSeconds = 5 }: Refusal): MailFault =>
  new MailFault("retry", "too many runs are waiting", retryAfterSeconds * 1000);
