// How an account is doing: failed syncs in a row, and problems with its hints. The store and the log learn it here.
import { faultKind } from "../core/errors.ts";
import { TooLarge } from "../core/response-body.ts";
import type { Log } from "../core/log.ts";
import type { MailNote, MailStatus } from "../core/mail.ts";
import { retryWaitMs } from "../core/retry.ts";
import type { Store } from "../store/ports/store.ts";
import { type Mailbox, MailFault } from "./mailbox.ts";
import { reauthNotice } from "./notices.ts";

export type FailedSync =
  | { readonly kind: "failed"; readonly retryInMs: number }
  | { readonly kind: "parked" };

export type Health = {
  /** Sets the problem of one part of the hints; null: none. True when it changed. */
  setProblem(part: string, message: string | null): boolean;
  hasProblem(): boolean;
  /** What a sync that succeeds stores. */
  status(): { status: MailStatus; error: string | null };
  syncSucceeded(): void;
  /**
   * Stores and logs the fault, and decides when to sync again: `parked` is never. Does not reject. Without a lease, since
   * the mailbox could not be claimed, nothing is stored.
   */
  syncFailed(fault: unknown, lease: string | null): Promise<FailedSync>;
  isBackingOff(): boolean;
};

type HealthOptions = {
  /** The account's, in the store. */
  id: string;
  mailbox: Pick<Mailbox, "account">;
  store: Pick<Store, "noteMail">;
  log: Log;
  agentId: () => string;
  remedy: string;
  random?: () => number;
};

const backOff = { firstMs: 1000, longestMs: 300_000 };

export function createHealth(options: HealthOptions): Health {
  const { id, store, log, random = Math.random } = options;
  const fields = { account: options.mailbox.account };
  const problems = new Map<string, string>();
  let failures = 0;

  /** Best effort: the next sync stores the status, too. */
  async function note(lease: string | null, status: Omit<MailNote, "id" | "lease">): Promise<void> {
    if (lease !== null) await store.noteMail({ id, lease, ...status }).catch(() => {});
  }

  async function park(reason: string, lease: string | null): Promise<FailedSync> {
    log.error("mail can no longer be read: a new login is needed", { ...fields, reason });
    const notice = reauthNotice(options, reason);
    await note(lease, { status: "needs-reauth", error: reason, notice });
    return { kind: "parked" };
  }

  async function retryLater(
    reason: string,
    askedMs: number | null,
    lease: string | null,
  ): Promise<FailedSync> {
    if (failures === 1) log.warn("mail cannot be read now", { ...fields, reason });
    await note(lease, { status: "degraded", error: reason, notice: null });
    return { kind: "failed", retryInMs: retryWaitMs(failures, askedMs, backOff, random()) };
  }

  return {
    setProblem(part, message) {
      if (problems.get(part) === (message ?? undefined)) return false;
      if (message === null) problems.delete(part);
      else problems.set(part, message);
      return true;
    },
    hasProblem: () => problems.size > 0,
    status() {
      const [error = null] = problems.values();
      return { status: error === null ? "ok" : "degraded", error };
    },
    syncSucceeded() {
      if (failures > 0) log.info("mail can be read again", { ...fields, count: failures });
      failures = 0;
    },
    syncFailed(fault, lease) {
      failures++;
      if (fault instanceof TooLarge) return retryLater(fault.message, null, lease);
      if (!(fault instanceof MailFault)) return retryLater(faultKind(fault), null, lease);
      return fault.kind === "reauth"
        ? park(fault.message, lease)
        : retryLater(fault.message, fault.retryAfterMs, lease);
    },
    isBackingOff: () => failures > 0,
  };
}
