// The store itself: upkeep, other nodes, its health.
import type { Change } from "../../core/change.ts";
import type { ClockStep } from "../../core/clock-step.ts";
import type { UnreadableRow } from "../../core/unreadable.ts";
import type { Retention } from "../../core/retention.ts";

/** The queues that nodes announce to each other. */
export type Work = "runs" | "deliveries";

/** Called when another node has announced; all of them after a time in which that may have been missed. */
export type Heard = Readonly<Record<Work, () => void>> & { changes(changes: readonly Change[]): void };

export type Upkeep = {
  /** Removes what is older than its retention, at most `limit` of each kind; returns how many. */
  sweep(retention: Retention, limit: number): Promise<number>;
  /** Tells the other nodes that this one has more work than slots. Best effort: they poll as well. */
  announce(work: Work): void;
  /** Tells the other nodes what has changed. Best effort. What is too long for one announcement is told as "many". */
  announceChanges(changes: readonly Change[]): void;
  /** Sets what is called when another node has announced. */
  listen(heard: Heard): void;
  /** Sets what is called, once for each time that the store's clock was set; also for what was found at the opening. */
  watchClock(onStep: (step: ClockStep) => void): void;
  /** Sets what is called when a row cannot be read, once for each row. It has been set aside by then. */
  watchUnreadable(onFound: (row: UnreadableRow) => void): void;
  /** The database's clock, in milliseconds since the epoch. */
  databaseTime(): Promise<number>;
  /** A random secret that this store was given once: the same for everyone who can open it. */
  identity(): Promise<string>;
  /** Resolves when the store can be written. */
  probe(): Promise<void>;
  close(): Promise<void>;
};
