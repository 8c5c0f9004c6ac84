// The store port: everything durable, as verbs of the domain.
//
// The contract, held by `store.contract.ts` on every implementation:
// - A promise that resolves has been committed to disk; one that rejects has changed nothing.
// - `StoreUnavailable` means the store is away (disk full, database gone) and the same call may work later.
// - Changes to a claimed run or delivery need its lease; with a lease that was lost they change nothing and
//   answer false.
// - Text is kept exactly, NUL and lone surrogates included.
import type { Delivery, ClaimedDelivery, DeliveryStatus, NewDelivery } from "../../core/delivery.ts";
import type { MailAccount, MailOutcome, MailStatus, WaitingMail } from "../../core/mail.ts";
import type { ClaimedRun, EndStatus, NewRun, Run, RunKind, RunReport } from "../../core/run.ts";
import type { Signals } from "../../core/signals.ts";
import type { Budget, Spending } from "../../core/spending.ts";
import type { NewEvent, SystemEvent } from "../../core/system-event.ts";
import type { Target } from "../../core/target.ts";
import type { History, Session, TranscriptTurn } from "../../core/transcript.ts";

export type Idempotency = { key: string; fingerprint: string };

/** All that one request leads to, stored together or not at all. */
export type Acceptance = {
  id: string;
  hook: string;
  events: readonly NewEvent[];
  runs: readonly NewRun[];
  /** Ask for a heartbeat of the main session in the same transaction. */
  heartbeat: HeartbeatRequest | null;
  idempotency: Idempotency | null;
  /** What the caller is told, kept to be told again to a request with the same idempotency key. */
  answer: Answer;
};

export type Answer = { status: number; body: Readonly<Record<string, unknown>> };

/** `begun`: its run, which nobody else can take, and whose turn stands as begun. */
export type Stored = { kind: "stored"; begun?: ClaimedRun };
/** What another request with the same key makes of this one. */
export type Repeated = { kind: "replayed"; answer: Answer } | { kind: "mismatch" };
export type Accepted = Stored | Repeated;

/** Heartbeat requests coalesce: while one waits that has not begun, another changes nothing. */
export type HeartbeatRequest = { agentId: string; delayMs: number };

/** Everything that follows from an attempt of a run, in one transaction. Made by `settle` in runner/. */
export type Settlement = {
  next:
    | { kind: "ended"; status: EndStatus; reply: string | null; error: string | null }
    | { kind: "retry"; delayMs: number; error: string }
    /** Given back unharmed, as on a clean stop: costs no attempt. */
    | { kind: "released" };
  workedMs: number;
  /** Null when no prompt was made. */
  signals: Signals | null;
  /** What the agent said about its work; null when it did not get that far. */
  report: RunReport | null;
  /** What this attempt used, for its hook's budget. */
  used: { inputTokens: number; outputTokens: number; cost: number } | null;
  /** How the turn ended in the transcript; null when it is not over. */
  ending: Ending | null;
  summary: NewEvent | null;
  delivery: NewDelivery | null;
  heartbeat: HeartbeatRequest | null;
  /** Events this turn has shown to the model. */
  shownEventIds: readonly string[];
};

/** A run's turn as it begins. */
export type TurnStart = {
  id: string;
  lease: string;
  /** Of the run, whose budget it is held to. */
  hook: string;
  agentId: string;
  sessionKey: string;
  /** No conversation: nothing said before is carried. */
  isolated: boolean;
  /** Of a conversation: how much of what was said before is read, to the whole turn above it. */
  historyCharacters: number;
  prompt: string;
  /** Null: it is not held to any. */
  budget: Budget | null;
};

export type Begun =
  | { kind: "go"; history: History; foreignSession: string | null }
  /** Over its hook's budget: it waits for the next day, or to be released. */
  | { kind: "parked"; reason: string }
  | { kind: "lost" };

/** What stands in the transcript as the agent's answer. */
export type Ending = {
  agentId: string;
  sessionKey: string;
  text: string;
  foreignSession: string | null;
  /** Later turns of the conversation see this one. */
  carried: boolean;
};

/** What follows from an attempt of a delivery, in one transaction. Made in delivery/. */
export type DeliverySettlement = {
  status: DeliveryStatus;
  /** For `waiting`: when to try again. */
  delayMs: number;
  /** An attempt that did not count, as on a clean stop, is given back. */
  countsAttempt: boolean;
  error: string | null;
  cursor: number;
  doubts: number;
  notice: NewEvent | null;
  /** What is sent in its place. */
  fallback: NewDelivery | null;
};

/** The first turn of a run that is claimed as it is stored. */
export type FirstTurn = { start: TurnStart; leaseMs: number };

export type Claim<T> = {
  claimed: T[];
  /** How long until the next one becomes due (a retry, an expiring lease), as far as is known now; null for none. */
  nextInMs: number | null;
};

export type RequestRecord = {
  id: string;
  hook: string;
  outcome: "skipped" | "failed";
  reason: string;
  createdAt: number;
};

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

/** Everything stored that has not ended, on all nodes. */
export type Backlog = {
  queued: number;
  running: number;
  parked: number;
  /** For how long the hook run that could start and has waited longest could; null when none could. */
  oldestMs: number | null;
  events: number;
  deliveries: readonly { channel: string; waiting: number; oldestMs: number }[];
};

/** `limit` null: all. Lists are newest first. */
export type Page = { limit: number | null };

export type Retention = { finishedMs: number; requestsMs: number; idempotencyMs: number };

/** How often an address has failed in its window, and when that ends. */
export type FailureCount = { failures: number; endsInMs: number };

/** What nodes take from each other. */
export type Work = "runs" | "deliveries";

export type CancelResult = "cancelled" | "requested" | "ended" | "unknown";

export type Store = {
  /** With `first`, the run of an acceptance that leads to one alone, in a lane of its own, is stored as begun if it may. */
  accept(acceptance: Acceptance, first?: FirstTurn): Promise<Accepted>;
  /** Of a request that would not be stored now: null when none with its key was. */
  findRepeated(hook: string, idempotency: Idempotency): Promise<Repeated | null>;
  recordRequest(record: Omit<RequestRecord, "createdAt">): Promise<void>;

  claimRuns(claim: {
    kind: RunKind;
    limit: number;
    lease: string;
    leaseMs: number;
  }): Promise<Claim<ClaimedRun>>;
  /** Extends the leases that are still held. Answers which those are, and which of them are to be cancelled. */
  renewRuns(renewal: {
    ids: readonly string[];
    lease: string;
    leaseMs: number;
  }): Promise<{ held: string[]; cancelled: string[] }>;
  /** False when the lease was lost. */
  settleRun(run: Pick<ClaimedRun, "id" | "lease" | "lane">, settlement: Settlement): Promise<boolean>;
  /** A waiting run ends at once, with its summary; a running one is stopped by its worker. */
  cancelRun(
    id: string,
    ended: { error: string; summary: NewEvent | null; heartbeat: HeartbeatRequest | null },
  ): Promise<CancelResult>;
  /** A new run with the same request as one that has ended. */
  repeatRun(id: string, newId: string): Promise<"queued" | "not-ended" | "unknown">;
  /** The turn is written down, and counted against the budget, before the agent hears of it. */
  beginRun(start: TurnStart): Promise<Begun>;
  /** From now on the run is not tried again. False when the lease was lost: then nothing may be changed. */
  markActed(run: { id: string; lease: string }): Promise<boolean>;
  /** Parked runs may go at once: one, those of a hook, or all. Answers how many. */
  releaseRuns(which: { id: string | null; hook: string | null }): Promise<number>;
  /** Runs accepted and not yet ended. */
  countUnfinished(): Promise<number>;
  /** Of those, the ones that are not running. */
  countWaiting(): Promise<number>;
  /** What waits, for whoever watches. */
  backlog(): Promise<Backlog>;

  requestHeartbeat(request: HeartbeatRequest): Promise<void>;
  /** Requests the periodic heartbeat when it is due, once for all nodes. Answers how many ms the next one is away. */
  beatIfDue(request: HeartbeatRequest, everyMs: number): Promise<number>;
  /** Oldest first, up to `limit`. */
  waitingEvents(sessionKey: string, limit: number): Promise<SystemEvent[]>;

  /** Of those to one target only the oldest that waits; while it is claimed, or waits for a retry, the others do too. */
  claimDeliveries(claim: {
    channel: string;
    limit: number;
    lease: string;
    leaseMs: number;
  }): Promise<Claim<ClaimedDelivery>>;
  /** Names of the channels with deliveries that wait. */
  waitingChannels(): Promise<string[]>;
  /** So many of its messages are known to be sent; the lease is renewed. False when it was lost. */
  advanceDelivery(progress: { id: string; lease: string; cursor: number; leaseMs: number }): Promise<boolean>;
  /** Extends the leases that are still held, and answers which those are. */
  renewDeliveries(renewal: { ids: readonly string[]; lease: string; leaseMs: number }): Promise<string[]>;
  settleDelivery(delivery: { id: string; lease: string }, settlement: DeliverySettlement): Promise<boolean>;
  /** It waits again, among those for another target; that costs no attempt. */
  moveDelivery(delivery: { id: string; lease: string }, target: Target): Promise<boolean>;
  /** Goes on behind the messages that are known to be sent. */
  retryDelivery(id: string): Promise<"waiting" | "not-ended" | "unknown">;
  cancelDelivery(id: string, error: string): Promise<CancelResult>;

  listRuns(page: Page & { kind: RunKind }): Promise<Run[]>;
  findRun(id: string): Promise<Run | null>;
  listEvents(page: Page): Promise<SystemEvent[]>;
  findEvent(id: string): Promise<SystemEvent | null>;
  /** Shown again by the next turn (true), or never shown (false). */
  markEvent(id: string, waiting: boolean): Promise<boolean>;
  listDeliveries(page: Page & { runId?: string }): Promise<Delivery[]>;
  findDelivery(id: string): Promise<Delivery | null>;
  listRequests(page: Page): Promise<RequestRecord[]>;

  /** Oldest first, compacted ones too. */
  listTurns(of: { runId: string } | { agentId: string; sessionKey: string }): Promise<TranscriptTurn[]>;
  /** Last used first. */
  listSessions(limit: number): Promise<Session[]>;
  /** The next turn begins anew; the record stays. */
  resetSession(session: { agentId: string; sessionKey: string }): Promise<boolean>;
  /** A summary stands for all turns up to `upTo` from now on. */
  compact(session: { agentId: string; sessionKey: string; upTo: number; summary: string }): Promise<void>;
  /** What hooks have used today. */
  listSpending(): Promise<Spending[]>;

  /** One reader an account, on all nodes together. Null while another has it. */
  holdMail(hold: { id: string; lease: string; leaseMs: number }): Promise<MailAccount | null>;
  /** False when the lease was lost. */
  renewMail(hold: { id: string; lease: string; leaseMs: number }): Promise<boolean>;
  releaseMail(held: { id: string; lease: string }): Promise<void>;
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
  noteMailWatch(id: string, watch: { expiration: number | null; dueAt: number }): Promise<void>;
  listMailAccounts(): Promise<MailAccount[]>;
  /** Its next look begins at that moment; what was taken in stays known. */
  forgetMailAccount(id: string): Promise<boolean>;

  lastTarget(): Promise<Target | null>;
  setLastTarget(target: Target | null): Promise<void>;

  /** Counts a failed token for all nodes. Failures that come together are written together. */
  countFailure(failure: { address: string; windowMs: number }): Promise<FailureCount>;

  /** Removes what is older than its retention, at most `limit` of each kind; answers how many went. */
  sweep(retention: Retention, limit: number): Promise<number>;
  /** Tells the other nodes that there is more of it than this one has places for. Best effort: they look by themselves. */
  announce(work: Work): void;
  /** What to do when another node has announced. */
  listen(heard: Readonly<Record<Work, () => void>>): void;
  /** What time it is for the database. */
  databaseTime(): Promise<number>;
  /** Resolves when the store can be written. */
  probe(): Promise<void>;
  close(): Promise<void>;
};
