// How nodes on one database tell each other about new work. An announcement is a hint: whoever hears it polls, and every
// node polls by itself as well, so a lost announcement costs a moment and nothing else.
import type { Work } from "../ports/upkeep.ts";

export type Notifier = {
  announce(work: Work): void;
  listen(heard: Readonly<Record<Work, () => void>>): void;
  close(): Promise<void>;
};

/** For a store with one gateway. */
export const noNotifier: Notifier = { announce: () => {}, listen: () => {}, close: async () => {} };
