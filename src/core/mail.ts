// A mail account: how far it has been read, its status, and what its mail led to.
import type { Acceptance, UnusedRequest } from "./request.ts";
import type { HeartbeatRequest, NewEvent } from "./system-event.ts";

/** The hook that decides all mail, of Gmail and IMAP alike. */
export const mailHook = "gmail";

export const mailStatuses = ["ok", "degraded", "needs-reauth"] as const;
export type MailStatus = (typeof mailStatuses)[number];

export type MailAccount = {
  /** The source and the account: `gmail:me@example.com`. */
  readonly id: string;
  /** Where the next sync starts, in the provider's form; null before the first. */
  readonly cursor: string | null;
  readonly cursorAt: number | null;
  readonly lastSyncAt: number | null;
  readonly status: MailStatus;
  readonly lastError: string | null;
  /** When the provider's subscription ends; null: there is none. */
  readonly watchExpiration: number | null;
  /** When the subscription is to be renewed. */
  readonly watchDueAt: number | null;
};

/** An account as a claim returns it. */
export type ClaimedMailAccount = MailAccount & {
  /** In how long the subscription is to be renewed; null: at once. */
  readonly watchDueInMs: number | null;
};

/** How a message was handled. `waiting`: it failed and is tried again; all others are final. */
export const mailOutcomes = ["accepted", "skipped", "gone", "failed", "waiting"] as const;
export type MailOutcome = (typeof mailOutcomes)[number];

export type WaitingMail = { readonly id: string; /** Tries so far. */ readonly attempts: number };

export const mailAccountId = (source: string, account: string): string => `${source}:${account}`;

/** A note for the main session, with a heartbeat when it is to be read at once. */
export type MailNotice = { event: NewEvent; heartbeat: HeartbeatRequest | null };

/** One message and what follows from it. */
export type TakenMail = {
  id: string;
  outcome: MailOutcome;
  acceptance: Acceptance | null;
  /** For the operator, when it led to no action. */
  record: UnusedRequest | null;
  /** With `waiting`: when it is tried again. */
  retryInMs: number | null;
};

export type MailCommit = {
  id: string;
  lease: string;
  mails: readonly TakenMail[];
  /** In the last commit of a sync: where the next starts, and the account's status. */
  end: { cursor: string; status: MailStatus; error: string | null; notice: MailNotice | null } | null;
};

/** What a sync stores about its account. `lease` null: an operator's command, which no sync has to allow. */
type ByLease = { lease: string | null };

export type MailNote = ByLease & {
  id: string;
  status: MailStatus;
  error: string | null;
  notice: MailNotice | null;
};

export type SubscriptionNote = ByLease & { expiration: number | null; dueInMs: number };
