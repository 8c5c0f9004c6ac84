// Watched mailboxes: one reader each, on all nodes together.
import type { MailAccount, MailCommit, MailNote, WaitingMail } from "../../core/mail.ts";

export type Mail = {
  /** One reader an account, on all nodes together. Null while another has it. */
  claimMailbox(hold: { id: string; lease: string; leaseMs: number }): Promise<MailAccount | null>;
  /** False when the lease was lost. */
  renewMailbox(hold: { id: string; lease: string; leaseMs: number }): Promise<boolean>;
  releaseMailbox(held: { id: string; lease: string }): Promise<void>;
  /** Those of the messages that nothing is known of, in their order. */
  unseenMail(id: string, messageIds: readonly string[]): Promise<string[]>;
  /** Messages that failed before and are due to be tried again. */
  waitingMail(id: string, limit: number): Promise<WaitingMail[]>;
  /**
   * Messages, all they lead to, and the cursor behind them, together. A message that was taken in before leads to
   * nothing. Answers which were new; null when the lease was lost.
   */
  commitMail(commit: MailCommit): Promise<string[] | null>;
  /** How an account is doing; its notice is left only when the status becomes another. */
  noteMail(note: MailNote): Promise<void>;
  /** Hints were promised until `expiration` (null: as before), and are asked for again at `dueAt`. */
  noteSubscription(id: string, watch: { expiration: number | null; dueAt: number }): Promise<void>;
  listMailAccounts(): Promise<MailAccount[]>;
  /** Its next look begins at that moment; what was taken in stays known. */
  forgetMailAccount(id: string): Promise<boolean>;
};
