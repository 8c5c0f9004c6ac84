// What is stored and has not ended.

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

export const unfinishedRuns = ({ queued, running, parked }: Backlog): number => queued + running + parked;
