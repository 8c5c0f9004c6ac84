// How long a thread's event loop was held by one piece of work. A busy machine makes any turn of the loop look long, so
// a hold is counted in processor time of this thread: what passed on the clock and was worked through, too.
import { startProfile } from "./profile.ts";

export type Hold = {
  /** By `Date.now()`, when it was over. */
  endedAt: number;
  /** What this thread worked. */
  workedMs: number;
  /** What passed. */
  passedMs: number;
  /** Of one that is too long: the functions that it was in. */
  in?: readonly string[];
};

export type HoldWatch = {
  /** The longest since it was last asked. */
  longest(): readonly Hold[];
  /** Leaves out what is done inside of it. */
  without<T>(work: () => T): T;
};

const tickMs = 20;
const kept = 5;
const profileMs = 5000;

export function watchHolds(): HoldWatch {
  let holds: Hold[] = [];
  const read = () => ({ clock: performance.now(), used: process.threadCpuUsage() });
  const profile = startProfile();
  let profiledFrom = performance.now();
  let last = read();
  setInterval(() => {
    const now = read();
    const passedMs = now.clock - last.clock - tickMs;
    const workedMs = (now.used.user + now.used.system - last.used.user - last.used.system) / 1000 - tickMs;
    // Of two readings that are both too large, the smaller one is nearer to the truth.
    const hold: Hold = { endedAt: Date.now(), workedMs: Math.min(workedMs, passedMs), passedMs };
    if (isTooLong(hold)) hold.in = profile.since(passedMs + tickMs);
    if (now.clock - profiledFrom > profileMs) {
      profile.renew();
      profiledFrom = now.clock;
    }
    // What this has taken itself is no hold.
    last = read();
    if (hold.passedMs <= (holds.at(-1)?.passedMs ?? 0) && holds.length === kept) return;
    holds.push(hold);
    holds.sort((left, right) => right.passedMs - left.passedMs);
    holds.length = Math.min(holds.length, kept);
  }, tickMs).unref();
  return {
    longest() {
      const since = holds;
      holds = [];
      return since;
    },
    without(work) {
      const value = work();
      last = read();
      return value;
    },
  };
}

/** The promise that the fuzz run holds the gateway to. */
const mostWorkedMs = 250;
/** Waiting, as for a file, uses no processor time; so much does not pass on a busy machine by itself. */
const mostPassedMs = 4000;

export const isTooLong = ({ workedMs, passedMs }: Hold): boolean =>
  workedMs > mostWorkedMs || passedMs > mostPassedMs;
