// What a mail watch is made of, and what it asks of its surroundings.
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { Decision } from "../core/request.ts";
import type { Acceptance } from "../core/request.ts";
import type { Store } from "../store/ports/store.ts";
import type { Mail, Mailbox } from "./mailbox.ts";

/** What the mappings of the hook `gmail` get, one message at a time. */
export type MailPayload = { source: string; account: string; messages: readonly Mail[] };

export type MailStore = Pick<
  Store,
  | "claimMailbox"
  | "renewMailbox"
  | "releaseMailbox"
  | "unseenMail"
  | "waitingMail"
  | "commitMail"
  | "noteMail"
  | "noteSubscription"
>;

/** Asking the provider for hints, again and again. */
export type Renewal = {
  everyMs: number;
  /** Answers until when they will come. Throws a MailFault. */
  renew(signal: AbortSignal): Promise<number>;
};

export type MailScheduleOptions = {
  /** `source` in the payload, and the first part of the account's id in the store. */
  source: string;
  mailbox: Mailbox;
  store: MailStore;
  decide: (payload: MailPayload) => Promise<Decision>;
  clock: Clock;
  log: Log;
  pollMs: number;
  /** In its place while hints do not come. */
  withoutHintsMs?: number;
  leaseMs: number;
  /** Of a catch-up. */
  limits: { maxAgeMs: number; maxMessages: number };
  /** The main session's agent. */
  agentId: () => string;
  /** Called with what is new in the store. */
  onStored: (acceptances: readonly Acceptance[]) => void;
  /** What to do about a login that no longer works: a command, for the notice. */
  remedy: string;
  /** Whether a hint speaks of something behind the cursor; without it, hints have no position. */
  isNewer?: (position: string, cursor: string) => boolean;
  renewal?: Renewal | null;
  random?: () => number;
};

export type SyncOptions = MailScheduleOptions & {
  /** Of the account in the store. */
  id: string;
  /** What is wrong beside the looks, by part. */
  troubles: Map<string, string>;
};
