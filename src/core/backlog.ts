/** Counts of everything unfinished, on all nodes. */
export type Backlog = {
  queued: number;
  running: number;
  parked: number;
  /** How long the oldest hook run that may start has been due; null when none is. */
  oldestMs: number | null;
  events: number;
  deliveries: readonly { channel: string; waiting: number; oldestMs: number }[];
};

export const unfinishedRuns = ({ queued, running, parked }: Backlog): number => queued + running + parked;
