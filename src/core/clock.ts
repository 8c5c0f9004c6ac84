// The clock port. Only the edges read it; rules get `now` passed in.

export type Clock = {
  /** Milliseconds since the epoch: a date, for people and other systems. It can be set, back as well. */
  now(): number;
  /** Whole milliseconds from any start, which nobody can set: for durations. */
  monotonic(): number;
  /** Calls `wake` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, wake: () => void): () => void;
};

/** Node fires longer timers at once, so they are cut to this, and the caller checks again. */
const longestTimerMs = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Math.floor(performance.now()),
  after(delayMs, wake) {
    const timer = setTimeout(wake, Math.min(Math.max(delayMs, 0), longestTimerMs));
    return () => clearTimeout(timer);
  },
};
