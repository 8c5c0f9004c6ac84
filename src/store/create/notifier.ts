// How nodes on one database call each other. A call is a hint: whoever hears it looks for work, and everybody looks
// by themselves as well, so a call that is lost costs a moment and nothing else.
import type { Work } from "../ports/upkeep.ts";

export type Bell = {
  ring(work: Work): void;
  listen(heard: Readonly<Record<Work, () => void>>): void;
  close(): Promise<void>;
};

/** For a store with one gateway: there is nobody to call. */
export const silentBell: Bell = { ring: () => {}, listen: () => {}, close: async () => {} };
