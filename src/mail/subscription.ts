// Subscribes to the provider's hints, and renews that in time. Mail is read without hints, too, only later: a
// provider that refuses is a problem of the account, not a failed sync.
import type { ClaimedMailAccount, SubscriptionNote } from "../core/mail.ts";
import { retryWaitMs } from "../core/retry.ts";
import { MailFault } from "./mailbox.ts";
import { type Claim, LeaseLost } from "./commits.ts";
import type { Renewal, SyncOptions } from "./options.ts";

/** Renews the subscription if that is due. Throws a MailFault when the login is refused, or LeaseLost. */
export type Subscription = (account: ClaimedMailAccount, claim: Claim) => Promise<void>;

const backOff = { firstMs: 60_000, longestMs: 3_600_000 };

export function createSubscription(options: SyncOptions): Subscription {
  return options.renewal ? createRenewing(options.renewal, options) : async () => {};
}

function createRenewing(
  renewal: Renewal,
  { id, mailbox, store, log, health, random = Math.random }: SyncOptions,
): Subscription {
  let hasRenewed = false;
  let failures = 0;

  async function note(subscription: SubscriptionNote): Promise<void> {
    const isOurs = await store.noteSubscription(id, subscription);
    if (!isOurs) throw new LeaseLost("another node reads this mailbox now");
  }

  async function noteSuccess(expiration: number, { lease }: Claim): Promise<void> {
    failures = 0;
    health.setProblem("renewal", null);
    const dueInMs = Math.round(renewal.everyMs * (0.9 + 0.2 * random()));
    await note({ lease, expiration, dueInMs });
  }

  async function noteFailure({ message, retryAfterMs }: MailFault, { lease }: Claim): Promise<void> {
    failures++;
    health.setProblem("renewal", `hints could not be requested: ${message}`);
    const dueInMs = retryWaitMs(failures, retryAfterMs, backOff, random());
    await note({ lease, expiration: null, dueInMs });
    const fields = { account: mailbox.account, reason: message };
    if (failures === 1) log.warn("hints of new mail could not be requested", fields);
  }

  return async (account, claim) => {
    // The first sync of a process always renews: the settings may be others than those of the last process.
    if (hasRenewed && account.watchDueInMs !== null && account.watchDueInMs > 0) return;
    hasRenewed = true;
    try {
      await noteSuccess(await renewal.renew(claim.signal), claim);
    } catch (fault) {
      if (!(fault instanceof MailFault) || fault.kind === "reauth") throw fault;
      await noteFailure(fault, claim);
    }
  };
}
