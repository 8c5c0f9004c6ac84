// A queue of short runs under measurement, with one run at a time in each lane.

export type Job = { lane: string };

/** The work of a job; it does nothing where only the queue is measured. */
export type Handle = (lane: string) => Promise<void>;

export type QueueContender = {
  /** Puts jobs into the queue of a database or file, and creates the schema where it is missing. */
  fill(address: string, jobs: readonly Job[]): Promise<void>;
  /** Works with this many slots until it is stopped. */
  work(address: string, slots: number, handle: Handle): Promise<Working>;
  /** Counts the jobs without a stored end. */
  unfinishedSql: string;
};

export type Working = { stop(): Promise<void> };

export const rivalNames = ["graphile-worker", "graphile-worker, one by one", "pg-boss"] as const;
export type RivalName = (typeof rivalNames)[number];
export type ContenderName = "runner" | "store" | RivalName;
