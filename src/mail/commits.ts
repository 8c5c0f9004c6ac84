// Mail that was read is stored in batches, under the account's lease. Only the last batch of a sync moves the cursor,
// so mail stored before a fault is kept, and no mail behind it is skipped.
import type { MailCommit, WaitingMail } from "../core/mail.ts";
import { createIntake } from "./intake.ts";
import type { SyncOptions } from "./options.ts";

/** The lease a sync holds, and the signal that ends the sync when it is lost. */
export type Claim = { readonly lease: string; readonly signal: AbortSignal };

/** Where the next sync starts. */
export type SyncEnd = { cursor: string; notice?: NonNullable<MailCommit["end"]>["notice"] };

export type Commits = {
  /** Reads and stores those of the messages that are not known yet, and moves the cursor behind them. */
  takeIn(claim: Claim, ids: readonly string[], end: SyncEnd): Promise<void>;
  /** Tries messages again that failed in earlier syncs and are due. */
  retryWaiting(claim: Claim): Promise<void>;
};

export class LeaseLost extends Error {
  override name = "LeaseLost";
}

const batchSize = 100;
const mostWaiting = 50;

export function createCommits(options: SyncOptions): Commits {
  const { id, store, health } = options;
  const intake = createIntake(options);

  async function commit({ lease }: Claim, mails: MailCommit["mails"], end: SyncEnd | null): Promise<void> {
    const stored = end && { cursor: end.cursor, ...health.status(), notice: end.notice ?? null };
    const newIds = await store.commitMail({ id, lease, mails, end: stored });
    if (newIds === null) throw new LeaseLost("another node reads this mailbox now");
    const isNew = new Set(newIds);
    const accepted = mails.flatMap((mail) => (isNew.has(mail.id) ? (mail.acceptance ?? []) : []));
    if (accepted.length > 0) options.onStored(accepted);
  }

  return {
    async takeIn(claim, ids, end) {
      const unseen = ids.length > 0 ? await store.unseenMail(id, ids) : [];
      let rest: readonly WaitingMail[] = unseen.map((each) => ({ id: each, attempts: 0 }));
      do {
        const { mails, left, fault } = await intake.read(rest.slice(0, batchSize), claim.signal);
        rest = [...left, ...rest.slice(batchSize)];
        const isLast = rest.length === 0 && fault === null;
        if (mails.length > 0 || isLast) await commit(claim, mails, isLast ? end : null);
        if (fault !== null) throw fault.cause;
      } while (rest.length > 0);
    },
    async retryWaiting(claim) {
      const waiting = await store.waitingMail(id, mostWaiting);
      if (waiting.length === 0) return;
      const { mails, fault } = await intake.read(waiting, claim.signal);
      if (mails.length > 0) await commit(claim, mails, null);
      if (fault !== null) throw fault.cause;
    },
  };
}
