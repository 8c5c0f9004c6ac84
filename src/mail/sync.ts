// One sync of a mailbox: takes in the mail behind the cursor, and moves the cursor in the same transaction. Only the
// node with the account's lease does it. A crash at any point repeats work; it neither loses a
// message nor takes one in twice.
import { newId } from "../core/id.ts";
import type { ClaimedMailAccount, MailAccount } from "../core/mail.ts";
import { createLeaseKeeper } from "../work/lease.ts";
import { type Claim, createCommits, LeaseLost } from "./commits.ts";
import type { FailedSync } from "./health.ts";
import { skippedNotice } from "./notices.ts";
import type { SyncOptions } from "./options.ts";
import { createSubscription } from "./subscription.ts";

export type SyncResult =
  | { readonly kind: "done"; readonly cursorBefore: string | null }
  /** Another node syncs this account. */
  | { readonly kind: "busy" };

/** A message can be older than the moment at which it became visible. */
const marginMs = 3_600_000;

/** A fault is noted under the lease. Rejects with LeaseLost, with the signal's reason, or when the store is away. */
export function createSync(
  options: SyncOptions,
): (stopping: AbortSignal) => Promise<SyncResult | FailedSync> {
  const { id, mailbox, store, log, leaseMs, health } = options;
  const renewSubscription = createSubscription(options);
  const commits = createCommits(options);
  const leases = createMailLeases(options);
  const fields = { account: mailbox.account };

  async function startFromNow(claim: Claim): Promise<void> {
    await commits.takeIn(claim, [], { cursor: await mailbox.baseline(claim.signal) });
    log.info("new mail is read from now on", fields);
  }

  async function readBehind(cursor: string, { cursorAt }: MailAccount, claim: Claim): Promise<void> {
    const changes = await mailbox.changes(cursor, claim.signal);
    await commits.retryWaiting(claim);
    if (changes.kind === "changes") await commits.takeIn(claim, changes.ids, { cursor: changes.cursor });
    else await catchUp(cursorAt, claim);
  }

  async function catchUp(cursorAt: number | null, claim: Claim): Promise<void> {
    log.warn("the mailbox no longer knows the cursor; the mail that came since is listed", fields);
    const since = cursorAt === null ? null : cursorAt - marginMs;
    const found = await mailbox.catchUp(since, options.limits, claim.signal);
    const notice = skippedNotice(options, found, cursorAt);
    await commits.takeIn(claim, found.ids, { cursor: found.cursor, notice });
  }

  async function syncAs(claim: Claim, account: ClaimedMailAccount): Promise<SyncResult> {
    await renewSubscription(account, claim);
    if (account.cursor === null) await startFromNow(claim);
    else await readBehind(account.cursor, account, claim);
    return { kind: "done", cursorBefore: account.cursor };
  }

  return async (stopping) => {
    const lease = newId();
    const leasedFrom = options.clock.monotonic();
    const account = await store.claimMailbox({ id, lease, leaseMs });
    if (account === null) return { kind: "busy" };
    const lost = new AbortController();
    const release = leases.keep({ id, lease }, leasedFrom, () =>
      lost.abort(new LeaseLost("the lease was lost")),
    );
    try {
      return await syncAs({ lease, signal: AbortSignal.any([stopping, lost.signal]) }, account);
    } catch (fault) {
      if (stopping.aborted || lost.signal.aborted || fault instanceof LeaseLost) throw fault;
      return await health.syncFailed(fault, lease);
    } finally {
      release();
      await store.releaseMailbox({ id, lease }).catch(() => {});
    }
  };
}

const createMailLeases = ({ id, store, clock, log, leaseMs }: SyncOptions) =>
  createLeaseKeeper({
    clock,
    log,
    leaseMs,
    renew: async ({ ids, lease }) => ({
      held: (await store.renewMailbox({ id, lease, leaseMs })) ? ids : [],
      cancelled: [],
    }),
  });
