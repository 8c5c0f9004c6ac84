// Announces new work and changes to other nodes on the same database. An announcement is a hint to poll; every node also polls by
// itself, so a lost announcement only costs a moment.
import type { Change } from "../../core/change.ts";
import type { Heard, Work } from "../ports/upkeep.ts";

export type Notifier = {
  announce(work: Work): void;
  announceChanges(changes: readonly Change[]): void;
  listen(heard: Heard): void;
  close(): Promise<void>;
};

/** For a store with one gateway. */
export const noNotifier: Notifier = {
  announce: () => {},
  announceChanges: () => {},
  listen: () => {},
  close: async () => {},
};
