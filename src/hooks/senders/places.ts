// Places for bodies that are not proven yet: bounded in number and size. A sender may hold as many as are still free, so
// one whose hook is flooded always leaves half of them to the others, two leave a third, and so on. What is known to be
// a flood gets a small share.
import type { Clock } from "../../core/clock.ts";

export type PlaceLimits = { readonly reads: number; readonly bytes: number; readonly waitMs: number };

export const usualPlaceLimits: PlaceLimits = { reads: 64, bytes: 16_777_216, waitMs: 2_000 };

export type UnprovenPlace = { release(): void };

export type Wanted = {
  /** Places are counted by holder. */
  readonly holder: string;
  /** What the body may need. More than there is counts as all of it. */
  readonly bytes: number;
  /** How many it may hold for each one that is free: 1, or less. */
  readonly share: number;
};

export type Places = {
  /** Null: there was none for as long as a caller may wait. */
  take(wanted: Wanted): UnprovenPlace | Promise<UnprovenPlace | null>;
  held(): { readonly reads: number; readonly bytes: number };
};

type Held = { reads: number; bytes: number };
type Waiter = { wanted: Wanted; give(place: UnprovenPlace | null): void };

export function createPlaces(clock: Pick<Clock, "after">, limits: PlaceLimits = usualPlaceLimits): Places {
  const all: Held = { reads: 0, bytes: 0 };
  const holders = new Map<string, Held>();
  const waiting = new Map<string, Set<Waiter>>();

  function fits({ holder, bytes, share }: Wanted): boolean {
    const free = { reads: limits.reads - all.reads, bytes: limits.bytes - all.bytes };
    if (free.reads < 1 || free.bytes < bytes) return false;
    const own = holders.get(holder);
    return own === undefined || (own.reads < free.reads * share && own.bytes + bytes <= free.bytes * share);
  }

  function hold({ holder, bytes }: Wanted): UnprovenPlace {
    const own = holders.get(holder) ?? { reads: 0, bytes: 0 };
    holders.set(holder, own);
    add(own, 1, bytes);
    add(all, 1, bytes);
    let isHeld = true;
    return {
      release() {
        if (!isHeld) return;
        isHeld = false;
        add(own, -1, -bytes);
        add(all, -1, -bytes);
        if (own.reads === 0) holders.delete(holder);
        serve();
      },
    };
  }

  /** The oldest waiter of each holder is next. */
  function serve(): void {
    for (const waiters of waiting.values())
      for (const waiter of waiters) {
        if (!fits(waiter.wanted)) break;
        waiter.give(hold(waiter.wanted));
      }
  }

  function wait(wanted: Wanted): Promise<UnprovenPlace | null> {
    const { promise, resolve } = Promise.withResolvers<UnprovenPlace | null>();
    const waiters = waiting.get(wanted.holder) ?? new Set();
    waiting.set(wanted.holder, waiters);
    const waiter: Waiter = {
      wanted,
      give(place) {
        cancelTimer();
        waiters.delete(waiter);
        if (waiters.size === 0) waiting.delete(wanted.holder);
        resolve(place);
      },
    };
    const cancelTimer = clock.after(limits.waitMs, () => waiter.give(null));
    waiters.add(waiter);
    return promise;
  }

  return {
    take(asked) {
      const wanted = { ...asked, bytes: Math.min(asked.bytes, limits.bytes) };
      return waiting.has(wanted.holder) || !fits(wanted) ? wait(wanted) : hold(wanted);
    },
    held: () => ({ ...all }),
  };
}

function add(held: Held, reads: number, bytes: number): void {
  held.reads += reads;
  held.bytes += bytes;
}
