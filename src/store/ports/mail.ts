// Mail accounts and the mail they have led to.
import type {
  ClaimedMailAccount,
  MailAccount,
  MailCommit,
  MailNote,
  SubscriptionNote,
  WaitingMail,
} from "../../core/mail.ts";

export type Mail = {
  /** Only one node at a time syncs an account. Null while another has the lease. */
  claimMailbox(claim: { id: string; lease: string; leaseMs: number }): Promise<ClaimedMailAccount | null>;
  /** False when the lease was lost. */
  renewMailbox(claim: { id: string; lease: string; leaseMs: number }): Promise<boolean>;
  releaseMailbox(claim: { id: string; lease: string }): Promise<void>;
  /** The messages that were never taken in, in their order. */
  unseenMail(id: string, messageIds: readonly string[]): Promise<string[]>;
  /** Messages that failed and are due for another attempt. */
  waitingMail(id: string, limit: number): Promise<WaitingMail[]>;
  /**
   * Stores messages, all that follows from them, and the new cursor in one transaction. A message that was taken in
   * before is ignored. Returns the new ones; null when the lease was lost.
   */
  commitMail(commit: MailCommit): Promise<string[] | null>;
  /** Stores an account's status; its notice is stored only when the status changes. False when the lease was lost. */
  noteMail(note: MailNote): Promise<boolean>;
  /**
   * The provider sends hints until `expiration` (null: unchanged); the subscription is renewed in `dueInMs`. False when
   * the lease was lost.
   */
  noteSubscription(id: string, subscription: SubscriptionNote): Promise<boolean>;
  listMailAccounts(): Promise<MailAccount[]>;
  /** The next sync starts at the then newest mail; messages that were taken in stay known. */
  forgetMailAccount(id: string): Promise<boolean>;
};
