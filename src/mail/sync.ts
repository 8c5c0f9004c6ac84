// One look at a mailbox, by one reader on all nodes: what is new is taken in, and the cursor moves behind it in the
// same transaction. A crash at any point repeats work, and neither loses a message nor takes one in twice.
import { newId } from "../core/id.ts";
import { backOffMs } from "../core/retry.ts";
import type { MailAccount, WaitingMail } from "../core/mail.ts";
import type { MailCommit } from "../core/mail.ts";
import { createLeaseKeeper } from "../work/lease.ts";
import type { Renewal, SyncOptions } from "./options.ts";
import { skippedNotice } from "./notices.ts";
import { createIntake } from "./intake.ts";
import { MailFault } from "./mailbox.ts";

export type Synced =
  /** Another node looks. */
  { kind: "busy" } | { kind: "done"; cursorBefore: string | null; taken: number };

/** The commit's end without what every end has. */
type End = { cursor: string; notice?: NonNullable<MailCommit["end"]>["notice"] };

const commitSize = 100;
const mostWaiting = 50;
const renewalBackOff = { firstMs: 60_000, longestMs: 3_600_000 };

/** A message may carry a time before the one at which it could be seen. */
const marginMs = 3_600_000;

export class LeaseLost extends Error {
  override name = "LeaseLost";
}

export function createSync(options: SyncOptions): (stopping: AbortSignal) => Promise<Synced> {
  const {
    id,
    mailbox,
    store,
    clock,
    log,
    leaseMs,
    limits,
    troubles,
    renewal,
    random = Math.random,
  } = options;
  const taking = createIntake(options);
  const leases = createLeaseKeeper({
    clock,
    log,
    leaseMs,
    renew: async ({ ids, lease }) => ({
      held: (await store.renewMailbox({ id, lease, leaseMs })) ? ids : [],
      cancelled: [],
    }),
  });
  let renewed = false;
  let renewalFailures = 0;

  async function commit(lease: string, mails: MailCommit["mails"], end: End | null): Promise<number> {
    const [error = null] = troubles.values();
    const status = error === null ? "ok" : "degraded";
    const fresh = await store.commitMail({
      id,
      lease,
      mails,
      end: end && { cursor: end.cursor, status, error, notice: end.notice ?? null },
    });
    if (fresh === null) throw new LeaseLost("another node reads this mailbox now");
    const isFresh = new Set(fresh);
    const accepted = mails.flatMap((mail) => (isFresh.has(mail.id) ? (mail.acceptance ?? []) : []));
    if (accepted.length > 0) options.onStored(accepted);
    return fresh.length;
  }

  /** In steps, each stored when it is done; only the last one moves the cursor. What was taken before a fault is kept. */
  async function takeIn(
    lease: string,
    ids: readonly string[],
    end: End,
    signal: AbortSignal,
  ): Promise<number> {
    const unseen = ids.length > 0 ? await store.unseenMail(id, ids) : [];
    let rest: readonly WaitingMail[] = unseen.map((each) => ({ id: each, attempts: 0 }));
    let taken = 0;
    do {
      const { mails, left, fault } = await taking.take(rest.slice(0, commitSize), signal);
      rest = [...left, ...rest.slice(commitSize)];
      const isLast = rest.length === 0 && fault === null;
      if (mails.length > 0 || isLast) taken += await commit(lease, mails, isLast ? end : null);
      if (fault !== null) throw fault.cause;
    } while (rest.length > 0);
    return taken;
  }

  async function takeWaiting(lease: string, signal: AbortSignal): Promise<void> {
    const waiting = await store.waitingMail(id, mostWaiting);
    if (waiting.length === 0) return;
    const { mails, fault } = await taking.take(waiting, signal);
    if (mails.length > 0) await commit(lease, mails, null);
    if (fault !== null) throw fault.cause;
  }

  async function lookAt(account: MailAccount, lease: string, signal: AbortSignal): Promise<number> {
    if (account.cursor === null) {
      await commit(lease, [], { cursor: await mailbox.baseline(signal) });
      log.info("mail is watched from now on", { account: mailbox.account });
      return 0;
    }
    const changes = await mailbox.changes(account.cursor, signal);
    await takeWaiting(lease, signal);
    if (changes.kind === "changes") return takeIn(lease, changes.ids, { cursor: changes.cursor }, signal);
    const since = account.cursorAt === null ? null : account.cursorAt - marginMs;
    log.warn("the mailbox no longer knows where we stopped; what came since is listed", {
      account: mailbox.account,
    });
    const found = await mailbox.catchUp(since, limits, signal);
    const notice = skippedNotice(options, found, account.cursorAt);
    return takeIn(lease, found.ids, { cursor: found.cursor, notice }, signal);
  }

  /** Hints that cannot be had are no reason not to look. */
  async function renewIfDue(account: MailAccount, wanted: Renewal, signal: AbortSignal): Promise<void> {
    if (renewed && account.watchDueAt !== null && account.watchDueAt > clock.now()) return;
    renewed = true;
    try {
      const expiration = await wanted.renew(signal);
      renewalFailures = 0;
      troubles.delete("renewal");
      const dueAt = Math.round(clock.now() + wanted.everyMs * (0.9 + 0.2 * random()));
      await store.noteSubscription(id, { expiration, dueAt });
    } catch (fault) {
      if (!(fault instanceof MailFault) || fault.kind === "reauth") throw fault;
      troubles.set("renewal", `hints could not be asked for: ${fault.message}`);
      const delayMs = Math.max(
        fault.retryAfterMs ?? 0,
        backOffMs(++renewalFailures, renewalBackOff, random()),
      );
      await store.noteSubscription(id, { expiration: null, dueAt: clock.now() + delayMs });
      if (renewalFailures === 1)
        log.warn("hints of new mail could not be asked for", {
          account: mailbox.account,
          reason: fault.message,
        });
    }
  }

  return async (stopping) => {
    const lease = newId();
    const account = await store.claimMailbox({ id, lease, leaseMs });
    if (account === null) return { kind: "busy" };
    const lost = new AbortController();
    const signal = AbortSignal.any([stopping, lost.signal]);
    const letGo = leases.hold({ id, lease }, () => lost.abort(new LeaseLost("the lease was lost")));
    try {
      if (renewal) await renewIfDue(account, renewal, signal);
      const taken = await lookAt(account, lease, signal);
      return { kind: "done", cursorBefore: account.cursor, taken };
    } finally {
      letGo();
      await store.releaseMailbox({ id, lease }).catch(() => {});
    }
  };
}
