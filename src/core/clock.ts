// The clock port. Only the edges read it; rules get `now` passed in.

export type Clock = {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `wake` once after `delayMs`; the returned function takes the call back. */
  after(delayMs: number, wake: () => void): () => void;
};

/** A timer above this fires at once, so longer waits are cut here and the caller looks again. */
const longestTimerMs = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, wake) {
    const timer = setTimeout(wake, Math.min(Math.max(delayMs, 0), longestTimerMs));
    return () => clearTimeout(timer);
  },
};
