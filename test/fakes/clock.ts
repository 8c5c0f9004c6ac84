// A clock that moves only by `advance`.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../../src/core/clock.ts";

export type FakeClock = Clock & {
  /** Moves on by `ms`: fires due timers in order, each at its own time, and lets promises settle. */
  advance(ms: number): Promise<void>;
  /** Sets the wall clock forward, or back, by `ms`. Nothing else moves. */
  step(ms: number): void;
  /** How many timers wait. */
  waiting(): number;
};

export function createFakeClock(start = Date.UTC(2026, 0, 1)): FakeClock {
  /** How long the clock has been running; its timers go by that. */
  let now = 0;
  let wall = start;
  let order = 0;
  const timers = new Map<number, { at: number; wake: () => void }>();

  const nextDue = (until: number): number | null => {
    let found: number | null = null;
    for (const [id, { at }] of timers) {
      if (at <= until && (found === null || at < timers.get(found)!.at)) found = id;
    }
    return found;
  };

  return {
    now: () => wall + now,
    monotonic: () => now,
    step: (ms) => void (wall += ms),
    after(delayMs, wake) {
      const id = order++;
      timers.set(id, { at: now + Math.max(delayMs, 0), wake });
      return () => void timers.delete(id);
    },
    async advance(ms) {
      const until = now + ms;
      await settled();
      for (let id = nextDue(until); id !== null; id = nextDue(until)) {
        const timer = timers.get(id)!;
        timers.delete(id);
        now = Math.max(now, timer.at);
        timer.wake();
        await settled();
      }
      now = until;
      await settled();
    },
    waiting: () => timers.size,
  };
}

/** Lets the event loop run all work that needs no I/O. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await nextTurn();
}

/** Lets the event loop turn until `check` holds; for work that a real store or process does in between. */
export async function eventually(
  check: () => boolean | Promise<boolean>,
  what = "the condition",
): Promise<void> {
  const giveUpAt = performance.now() + 20_000;
  while (!(await check())) {
    if (performance.now() > giveUpAt) throw new Error(`${what} did not come about`);
    await nextTurn();
  }
}
