// A loop on a queue in memory, with a clock that the test holds.
import { createFakeClock, type FakeClock } from "./clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { createLoop, type LoopOptions } from "../../src/work/loop.ts";

/** A queue in memory, and handlers that wait until the test ends them. */
export function setUpLoop(more: Partial<LoopOptions<string>> = {}, clock: FakeClock = createFakeClock(0)) {
  const queue: string[] = [];
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const claims: number[] = [];
  const seen = { nextInMs: null as number | null, fault: null as Error | null };
  const loop = createLoop<string>({
    name: "things",
    clock,
    log: silentLog,
    random: () => 0,
    capacity: () => 2,
    claim: async (limit) => {
      claims.push(limit);
      if (seen.fault) throw seen.fault;
      return { claimed: queue.splice(0, limit), nextInMs: seen.nextInMs };
    },
    handle: (item) => {
      started.push(item);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(item, resolve);
      return promise;
    },
    ...more,
  });
  return { loop, clock, queue, started, claims, seen, end: (item: string) => ends.get(item)!() };
}
