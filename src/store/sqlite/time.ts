// The time of a store on SQLite: this machine's wall clock. A wall clock that is set is noticed before the new time is
// used, because the clock nobody can set has not moved with it.
import type { Clock } from "../../core/clock.ts";

/** Less is a clock that is slewed. */
const littleMs = 500;

const apartMs = 50;

export type StoreTime = {
  now(): number;
  /** How far the wall clock was set since `accept`; 0 where it was not. */
  step(): number;
  /** The step is dealt with. */
  accept(stepMs: number): void;
};

export function createStoreTime(clock: Pick<Clock, "now" | "monotonic">): StoreTime {
  const difference = (): number => {
    for (;;) {
      const before = clock.monotonic();
      const between = clock.now() - before;
      // Else this thread was halted between the two.
      if (clock.monotonic() - before <= apartMs) return between;
    }
  };
  let known = difference();
  return {
    now: () => clock.now(),
    step() {
      const stepMs = difference() - known;
      if (Math.abs(stepMs) >= littleMs) return stepMs;
      // A clock that is slewed goes on being followed.
      known += stepMs;
      return 0;
    },
    accept: (stepMs) => void (known += stepMs),
  };
}
