// Results for callers: who waits, and who streams, over one watch of their runs.
import type { Clock } from "../core/clock.ts";
import type { Changes } from "../core/change.ts";
import { type Live, noLive } from "../core/live.ts";
import type { Store } from "../store/ports/store.ts";
import { createStreams, type Streams } from "./stream.ts";
import { createWaits, type Waits } from "./wait.ts";
import { createRunWatch } from "./watch.ts";

export type Results = {
  wait: Waits["wait"];
  /** Answers with a stream of events. False: there is no place for it, and nothing was sent. */
  stream: Streams["open"];
  findRuns: Store["findRuns"];
  /** What is held for callers now. */
  held(): { waits: number; streams: number; runs: number };
  /** Answers who waits, and ends the streams. */
  stop(): void;
};

/** Where nobody waits for a result. */
export const noResults: Results = {
  wait: async (states) => ({ isApplied: false, ended: new Map(), states }),
  stream: () => false,
  findRuns: async () => [],
  held: () => ({ waits: 0, streams: 0, runs: 0 }),
  stop() {},
};

export type ResultsOptions = {
  store: Pick<Store, "findRuns" | "runStates">;
  changes: Pick<Changes, "listen">;
  live?: Live;
  clock: Clock;
  /** How many may wait, and how many may stream. */
  mostWaiting: () => number;
};

export function createResults({
  store,
  changes,
  live = noLive,
  clock,
  mostWaiting,
}: ResultsOptions): Results {
  const watch = createRunWatch({ store, changes, clock });
  const waits = createWaits({ watch, clock, mostWaiting });
  const streams = createStreams({ watch, live, clock, mostStreams: mostWaiting });
  return {
    wait: waits.wait,
    stream: streams.open,
    findRuns: store.findRuns,
    held: () => ({ waits: waits.taken(), streams: streams.taken(), runs: watch.size() }),
    stop() {
      waits.stop();
      streams.stop();
      watch.stop();
    },
  };
}
