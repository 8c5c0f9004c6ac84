// A watched mail account: how far it has been read, how it is doing, and what its mail led to.
import type { Acceptance, RequestRecord } from "./request.ts";
import type { HeartbeatRequest, NewEvent } from "./system-event.ts";

/** What its mail is sent to, wherever it comes from. */
export const mailHook = "gmail";

export const mailStatuses = ["ok", "degraded", "needs-reauth"] as const;
export type MailStatus = (typeof mailStatuses)[number];

export type MailAccount = {
  /** The source and the account: `gmail:me@example.com`. */
  readonly id: string;
  /** Where the next look begins, in the provider's own words; null before the first. */
  readonly cursor: string | null;
  readonly cursorAt: number | null;
  readonly lastSyncAt: number | null;
  readonly status: MailStatus;
  readonly lastError: string | null;
  /** Until when the provider has promised to send hints; null: none were asked for. */
  readonly watchExpiration: number | null;
  /** When hints are to be asked for again. */
  readonly watchDueAt: number | null;
};

/**
 * What became of a message. `waiting`: it failed and is tried again; all others are ends.
 */
export const mailOutcomes = ["accepted", "skipped", "gone", "failed", "waiting"] as const;
export type MailOutcome = (typeof mailOutcomes)[number];

export type WaitingMail = { readonly id: string; /** Tries so far. */ readonly attempts: number };

export const mailAccountId = (source: string, account: string): string => `${source}:${account}`;

/** A note for the main session, and whether it is to look at once. */
export type MailNotice = { event: NewEvent; heartbeat: HeartbeatRequest | null };

/** What became of one message. */
export type TakenMail = {
  id: string;
  outcome: MailOutcome;
  acceptance: Acceptance | null;
  /** For the operator, when it led to nothing. */
  record: Omit<RequestRecord, "createdAt"> | null;
  /** With `waiting`: when it is tried again. */
  retryInMs: number | null;
};

export type MailCommit = {
  id: string;
  lease: string;
  mails: readonly TakenMail[];
  /** With the last of a look: where the next begins, and how the account is doing. */
  end: { cursor: string; status: MailStatus; error: string | null; notice: MailNotice | null } | null;
};

export type MailNote = { id: string; status: MailStatus; error: string | null; notice: MailNotice | null };
