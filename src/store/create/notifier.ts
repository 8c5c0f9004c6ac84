// Announces new work to other nodes on the same database. An announcement is a hint to poll; every node also polls by
// itself, so a lost announcement only costs a moment.
import type { Work } from "../ports/upkeep.ts";

export type Notifier = {
  announce(work: Work): void;
  listen(heard: Readonly<Record<Work, () => void>>): void;
  close(): Promise<void>;
};

/** For a store with one gateway. */
export const noNotifier: Notifier = { announce: () => {}, listen: () => {}, close: async () => {} };
