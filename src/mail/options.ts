// The dependencies of one account's sync: mailbox, store, mappings, intervals.
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { Acceptance, Decided } from "../core/request.ts";
import type { Store } from "../store/ports/store.ts";
import type { Health } from "./health.ts";
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

/** A provider that sends hints for a limited time, so that the subscription has to be renewed. */
export type Renewal = {
  everyMs: number;
  /** Resolves with the time until which hints will come. Throws a MailFault. */
  renew(signal: AbortSignal): Promise<number>;
};

export type MailScheduleOptions = {
  /** `source` in the payload, and the first part of the account's id in the store. */
  source: string;
  mailbox: Mailbox;
  store: MailStore;
  decide: (payload: MailPayload) => Promise<Decided>;
  clock: Clock;
  log: Log;
  pollMs: number;
  /** The interval while hints do not come; `pollMs` when not set. */
  withoutHintsMs?: number;
  leaseMs: number;
  /** Of a catch-up. */
  limits: { maxAgeMs: number; maxMessages: number };
  /** The main session's agent. */
  agentId: () => string;
  /** Called with the runs that a commit has newly stored. */
  onStored: (acceptances: readonly Acceptance[]) => void;
  /** The command that mends a login that no longer works, for the notice. */
  remedy: string;
  /** Whether a hint's position is newer than the cursor; without it, hints have no position. */
  isNewer?: (position: string, cursor: string) => boolean;
  renewal?: Renewal | null;
  random?: () => number;
};

export type SyncOptions = MailScheduleOptions & {
  /** The account's, in the store. */
  id: string;
  health: Pick<Health, "setProblem" | "status" | "syncFailed">;
};
