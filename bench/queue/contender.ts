// Whoever works a queue of short runs, one at a time in each lane.

export type Job = { lane: string };

/** What is done for a job: nothing, when it is the queue that is measured. */
export type Handle = (lane: string) => Promise<void>;

export type QueueContender = {
  /** Puts jobs into the queue of a database, or of a file; prepares it when it is empty. */
  fill(place: string, jobs: readonly Job[]): Promise<void>;
  /** Works with so many places until it is stopped. */
  work(place: string, places: number, handle: Handle): Promise<Working>;
  /** How many in the queue have no stored end yet, as a query. */
  unfinishedSql: string;
};

export type Working = { stop(): Promise<void> };

export const rivalNames = ["graphile-worker", "graphile-worker, one by one", "pg-boss"] as const;
export type RivalName = (typeof rivalNames)[number];
export type ContenderName = "runner" | "store" | RivalName;
