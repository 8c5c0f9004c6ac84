// The store itself: upkeep, other nodes, its health.
import type { Retention } from "../../core/retention.ts";

/** What nodes take from each other. */
export type Work = "runs" | "deliveries";

export type Upkeep = {
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
