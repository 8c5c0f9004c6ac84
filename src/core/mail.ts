// A watched mail account: how far it has been read, and how it is doing.

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
